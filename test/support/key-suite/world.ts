import { createKey } from "../keys.ts";
import { scanPayload } from "../scan-payload.ts";
import { ingest, waitForRun } from "../scans.ts";
import { query } from "../sql.ts";
import { createOrganization, type Organization, type Stack, startStack } from "../stack.ts";

/** What the routes are tried on: an organization with a service, a completed run and keys, and another one beside. */
export interface KeySuiteWorld extends AsyncDisposable {
  stack: Stack;
  organizationId: string;
  strangers: Organization;
  serviceName: string;
  serviceId: string;
  scanRunId: string;
  apiKeyId: string;
  /** A key that the request may use up. */
  anotherKeyId(scopes?: string[]): Promise<string>;
}

export async function createWorld(): Promise<KeySuiteWorld> {
  const stack = await startStack();
  const strangers = await createOrganization(stack.databaseUrl, "Strangers");
  const serviceName = "payments-eu";
  const sent = await ingest(stack, scanPayload({ serviceName }));
  await waitForRun(stack, sent.body.scanRunId);

  const anotherKeyId = async (scopes = ["services:read"]): Promise<string> => {
    const rawKey = await createKey(stack, scopes);
    const prefix = rawKey.slice(0, 16);
    const [row] = await query<{ id: string }>(stack, "SELECT id FROM api_keys WHERE prefix = $1", [prefix]);
    return row?.id ?? "";
  };
  return {
    stack,
    organizationId: stack.organizationId,
    strangers,
    serviceName,
    serviceId: sent.body.serviceId,
    scanRunId: sent.body.scanRunId,
    apiKeyId: await anotherKeyId(),
    anotherKeyId,
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}
