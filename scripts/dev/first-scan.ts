import { withoutSecrets } from "./environments.ts";
import type { Credentials } from "./private-files.ts";
import { runScript } from "./run-script.ts";

export const EXAMPLE = { service: "bookshop", spec: "examples/bookshop.openapi.yaml" };

/** Whether the api accepts the key, and whether its organization has any service yet. */
export async function tryKey({ apiUrl, apiKey }: Credentials): Promise<"accepted" | "refused" | "unused"> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${apiUrl}/api/services?limit=1`, { headers });
  if (response.status === 401 || response.status === 403) return "refused";
  const text = await response.text();
  if (!response.ok) throw new Error(`GET /api/services returned ${response.status}: ${text}`);
  const { services }: { services: unknown[] } = JSON.parse(text);
  return services.length === 0 ? "unused" : "accepted";
}

/**
 * Submits the example with the real CLI, so that there is something to see, and waits until it is completed.
 *
 * @returns the CLI's lines
 */
export function submitExample(credentials: Credentials): Promise<string> {
  const example = ["--service", EXAMPLE.service, "--spec", EXAMPLE.spec, "--lint"];
  // In the environment: command lines can be read by every user of the machine.
  const secrets = { SERVICE_API_KEY: credentials.apiKey, SERVICE_API_URL: credentials.apiUrl };
  const env = { ...withoutSecrets(process.env), ...secrets };
  return runScript("cli/bin/waymark.mjs", ["scan", ...example, "--wait", "--wait-timeout", "20"], env);
}
