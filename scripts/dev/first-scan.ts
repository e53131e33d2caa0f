import { EXAMPLE_JOURNEY } from "./example-journey.ts";
import type { Credentials } from "./private-files.ts";
import { runWaymark } from "./waymark.ts";

export const EXAMPLE = { service: "bookshop", spec: "examples/bookshop.openapi.yaml" };

/** Whether the api accepts the key, and whether its organization lacks the last of the examples. */
export async function tryKey({ apiUrl, apiKey }: Credentials): Promise<"accepted" | "refused" | "unused"> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${apiUrl}/api/services?limit=2`, { headers });
  if (response.status === 401 || response.status === 403) return "refused";
  const text = await response.text();
  if (!response.ok) throw new Error(`GET /api/services returned ${response.status}: ${text}`);
  const { services }: { services: { name: string }[] } = JSON.parse(text);
  // A first start that was interrupted after the example journey's scan is repeated.
  return services.every(({ name }) => name === EXAMPLE_JOURNEY.service) ? "unused" : "accepted";
}

/**
 * Submits the example with the real CLI, so that there is something to see, and waits until it is completed.
 *
 * @returns the CLI's lines
 */
export function submitExample(credentials: Credentials, signal: AbortSignal): Promise<string> {
  const example = ["--service", EXAMPLE.service, "--spec", EXAMPLE.spec, "--lint"];
  return runWaymark(credentials, ["scan", ...example, "--wait", "--wait-timeout", "20"], { signal });
}
