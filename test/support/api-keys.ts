import type { ApiKey, CreateApiKeyRequest } from "@waymark/shared/api-keys/schema.ts";
import type { VersionConflict } from "@waymark/shared/errors/schema.ts";
import type { HttpResponse } from "./http-client.ts";
import { query } from "./sql.ts";
import type { Stack } from "./stack.ts";
import { waitUntil } from "./wait-until.ts";

export type Created = ApiKey & { rawKey: string; warning: string };

/** Requests a key over HTTP; by default with the organization's first key. */
export function requestKey(
  stack: Pick<Stack, "http">,
  request: Partial<CreateApiKeyRequest> | Record<string, unknown>,
  options: { key?: string } = {},
): Promise<HttpResponse<Created>> {
  const defaults = { name: "ci", ownerPrincipalType: "service_account", scopes: ["services:read"] };
  return stack.http.post<Created>("/api/api-keys", { ...defaults, ...request }, options);
}

/** Creates a key as above, for a test that needs its text. @throws Error with the response if it is refused */
export async function makeKey(...args: Parameters<typeof requestKey>): Promise<Created> {
  const answer = await requestKey(...args);
  if (answer.status !== 201) throw new Error(`creating a key answered ${answer.status}: ${answer.text}`);
  return answer.body;
}

/** Waits until the database has the last use of a key, which an api records after its response. */
export function lastUseIsRecorded(stack: Pick<Stack, "databaseUrl">, rawKey: string): Promise<void> {
  const used = "SELECT FROM api_keys WHERE prefix = $1 AND last_used_at IS NOT NULL";
  return waitUntil(
    "the record of a key's last use",
    async () => (await query(stack, used, [rawKey.slice(0, 16)])).length === 1,
  );
}

/** The error of an error response. */
export function errorOf(answer: HttpResponse<unknown>) {
  // A response without content has no body.
  const body = answer.body as
    | undefined
    | {
        error?: {
          code: string;
          message: string;
          details?: { path: string; message: string }[];
          conflicts?: VersionConflict[];
          requestId?: string;
        };
      };
  return { status: answer.status, ...body?.error };
}
