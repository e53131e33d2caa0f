import { addressOf } from "./base-path.ts";

/** The age at which a response is out of date, which is that of the data of queries. */
const KEPT_MS = 10_000;
const TIMEOUT_MS = 30_000;

interface BegunCall {
  response: Promise<Response>;
  beganAt: number;
}
const begun = new Map<string, BegunCall>();

/** Sends a GET request whose response the first `takeBegunCall` for the same path gets. */
export function beginCall(path: string): Promise<Response> {
  const response = fetch(addressOf(path), {
    credentials: "same-origin",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  begun.set(path, { response, beganAt: performance.now() });
  // The caller of `takeBegunCall` gets the rejection.
  response.catch(() => undefined);
  return response;
}

/**
 * Returns the response to a request that was started; undefined if there is none, if it was started so long ago that it
 * may be out of date, or if it was refused as too early (400) because a run was not completed.
 */
export async function takeBegunCall(path: string): Promise<Response | undefined> {
  const call = begun.get(path);
  begun.delete(path);
  if (call === undefined || performance.now() - call.beganAt >= KEPT_MS) return undefined;
  const response = await call.response;
  return response.status === 400 ? undefined : response;
}

/** Drops all responses, because another session must not show them. */
export function forgetBegunCalls(): void {
  begun.clear();
}
