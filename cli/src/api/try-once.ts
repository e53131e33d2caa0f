import type { ApiConnection } from "./api-client.ts";

/** Returns a connection for a request that a command can do without: one attempt of a few seconds, of which nothing is said. */
export function tryingOnce(connection: ApiConnection): ApiConnection {
  const { times } = connection;
  const attemptMs = Math.min(times.attemptMs, times.checkMs);
  return { ...connection, times: { ...times, attemptsMax: 1, attemptMs }, onRetry: () => undefined };
}
