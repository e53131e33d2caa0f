import { setTimeout as sleep } from "node:timers/promises";
import { withoutSecrets } from "./environments.ts";
import type { Credentials } from "./private-files.ts";
import { runScript } from "./run-script.ts";

export const EXAMPLE = { service: "bookshop", spec: "examples/bookshop.openapi.yaml" };
const COMPLETED_MS = 20_000;

type KeyState = "accepted" | "refused" | "unused";

/** Whether the api takes the key, and whether its organization has any service yet. */
export async function tryKey({ apiUrl, apiKey }: Credentials): Promise<KeyState> {
  const response = await fetch(`${apiUrl}/api/services?limit=1`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  if (response.status === 401 || response.status === 403) return "refused";
  if (!response.ok)
    throw new Error(`GET /api/services answered ${response.status}: ${await response.text()}`);
  const { services }: { services: unknown[] } = JSON.parse(await response.text());
  return services.length === 0 ? "unused" : "accepted";
}

/**
 * Submits the example with the real CLI, so that there is something to see, and waits until it is completed.
 *
 * @returns the CLI's three lines
 */
export async function submitExample(credentials: Credentials, signal: AbortSignal): Promise<string> {
  const args = ["scan", "--service", EXAMPLE.service, "--spec", EXAMPLE.spec, "--lint"];
  // In the environment: command lines can be read by every user of the machine.
  const env = {
    ...withoutSecrets(process.env),
    SERVICE_API_KEY: credentials.apiKey,
    SERVICE_API_URL: credentials.apiUrl,
  };
  const output = await runScript("cli/bin/waymark.mjs", args, env);
  const scanRunId = /^Scan ingested: (\S+)$/m.exec(output)?.[1];
  const deadline = Date.now() + COMPLETED_MS;
  while ((await runStatus(credentials, scanRunId ?? "")) === "accepted") {
    signal.throwIfAborted();
    if (Date.now() > deadline)
      throw new Error(`The example scan is not completed after ${COMPLETED_MS / 1000} s.`);
    await sleep(50);
  }
  return output;
}

async function runStatus({ apiUrl, apiKey }: Credentials, scanRunId: string): Promise<string> {
  const response = await fetch(`${apiUrl}/api/scan-runs/${scanRunId}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  if (!response.ok)
    throw new Error(`GET /api/scan-runs answered ${response.status}: ${await response.text()}`);
  const { status }: { status: string } = JSON.parse(await response.text());
  return status;
}
