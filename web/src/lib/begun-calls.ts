/** As long as queries keep their data. */
const KEPT_MS = 10_000;
const TIMEOUT_MS = 30_000;

interface BegunCall {
  response: Promise<Response>;
  beganAt: number;
}
const begun = new Map<string, BegunCall>();

/** Sends a GET request whose response the first `takeBegunCall` for the same path gets. */
export function beginCall(path: string): Promise<Response> {
  const response = fetch(path, {
    credentials: "same-origin",
    headers: { accept: "application/json" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  begun.set(path, { response, beganAt: performance.now() });
  // Who takes it sees the failure.
  response.catch(() => undefined);
  return response;
}

/**
 * The response to a request that has begun; undefined if there is none, if it began so long ago that it may be out of date, or if it
 * was refused as too early (400): a run was not completed then.
 */
export async function takeBegunCall(path: string): Promise<Response | undefined> {
  const call = begun.get(path);
  begun.delete(path);
  if (call === undefined || performance.now() - call.beganAt >= KEPT_MS) return undefined;
  const response = await call.response;
  return response.status === 400 ? undefined : response;
}

/** Of another session, no response may be shown. */
export function forgetBegunCalls(): void {
  begun.clear();
}
