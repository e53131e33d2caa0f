import type { Credentials } from "../private-files.ts";

const TIMEOUT_MS = 30_000;

/** Sends a request with the key of the organization. @throws Error with the response, unless it is a success */
export async function callApi<T>(
  { apiUrl, apiKey }: Credentials,
  method: "GET" | "POST" | "PUT",
  address: string,
  body?: object,
): Promise<T> {
  const response = await fetch(`${apiUrl}${address}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${address} returned ${response.status}: ${text}`);
  return JSON.parse(text);
}
