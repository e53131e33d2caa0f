import { addressOf } from "./base-path.ts";

/** The age at which a response is out of date, which is that of the data of queries. */
const KEPT_MS = 10_000;
const TIMEOUT_MS = 30_000;

interface BegunCall {
  response: Promise<Response>;
  isEmptyAtFirst: boolean;
  beganAt: number;
}
const begun = new Map<string, BegunCall>();

/**
 * Sends a GET request whose response the first `takeBegunCall` for the same path gets.
 *
 * @param options.isEmptyAtFirst whether a list that is empty may be so only because a run was not completed
 */
export function beginCall(path: string, { isEmptyAtFirst = false } = {}): Promise<Response> {
  const response = fetch(addressOf(path), {
    credentials: "same-origin",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  begun.set(path, { response, isEmptyAtFirst, beganAt: performance.now() });
  // The caller of `takeBegunCall` gets the rejection.
  response.catch(() => undefined);
  return response;
}

/**
 * Returns the response to a request that was started; undefined if there is none, if it was started so long ago that it
 * may be out of date, or if it was too early because a run was not completed: refused (400), or with an empty list.
 */
export async function takeBegunCall(path: string): Promise<Response | undefined> {
  const call = begun.get(path);
  begun.delete(path);
  if (call === undefined || performance.now() - call.beganAt >= KEPT_MS) return undefined;
  const response = await call.response;
  if (response.status === 400) return undefined;
  return call.isEmptyAtFirst && (await hasEmptyList(response.clone())) ? undefined : response;
}

async function hasEmptyList(response: Response): Promise<boolean> {
  const body: unknown = await response.json().catch(() => null);
  return Object.values(body ?? {}).some((field) => Array.isArray(field) && field.length === 0);
}

/** Drops all responses, because another session must not show them. */
export function forgetBegunCalls(): void {
  begun.clear();
}
