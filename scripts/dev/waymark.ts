import { withoutSecrets } from "./environments.ts";
import type { Credentials } from "./private-files.ts";
import { runScript } from "./run-script.ts";

/** Runs the built command with these arguments, and returns its lines. */
export function runWaymark(
  credentials: Credentials,
  args: string[],
  options: { signal: AbortSignal; env?: Record<string, string> },
): Promise<string> {
  // In the environment: command lines can be read by every user of the machine.
  const secrets = { SERVICE_API_KEY: credentials.apiKey, SERVICE_API_URL: credentials.apiUrl };
  const env = { ...withoutSecrets(process.env), ...secrets, ...options.env };
  return runScript("cli/bin/waymark.mjs", args, env, options.signal);
}

/**
 * Sends a request to the api, with a body of JSON if there is one.
 *
 * @throws Error with the response, unless it is a success
 */
export async function requestApi(
  { apiUrl, apiKey }: Credentials,
  request: string,
  { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
): Promise<Response> {
  const [method = "", path = ""] = request.split(" ");
  const response = await fetch(`${apiUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.ok) return response;
  throw new Error(`${request} returned ${response.status}: ${await response.text()}`);
}
