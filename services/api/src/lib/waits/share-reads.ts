/**
 * Returns a function that reads once for all callers that ask for the same at the same time. A caller may get what another one began
 * to read before it asked, so it fits only callers that know that this is new enough.
 */
export function shareReads<Wanted, Result>(
  read: (wanted: Wanted) => Promise<Result>,
  keyOf: (wanted: Wanted) => string,
): (wanted: Wanted) => Promise<Result> {
  const reading = new Map<string, Promise<Result>>();
  return (wanted) => {
    const key = keyOf(wanted);
    const running = reading.get(key);
    if (running !== undefined) return running;
    const result = read(wanted).finally(() => reading.delete(key));
    reading.set(key, result);
    return result;
  };
}
