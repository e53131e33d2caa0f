import { DatabaseError } from "pg";

/**
 * Whether a failed statement was certainly rolled back, and retrying its parts individually can help: Postgres itself
 * reported an error in it. False if the connection was lost, because the commit may have succeeded, and if the server was
 * stopping or a time limit was exceeded.
 */
export function wasRolledBack(error: unknown): boolean {
  return error instanceof DatabaseError && !/^(08|57|58|XX)/.test(error.code ?? "XX");
}
