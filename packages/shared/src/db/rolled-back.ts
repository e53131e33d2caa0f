import { DatabaseError } from "pg";

/**
 * Whether a statement that failed like this was certainly undone, and trying its parts one by one is worth it: Postgres
 * itself said what is wrong with it. Not so when a connection was lost, whose commit may have come through, nor when
 * the server is stopping or out of time.
 */
export function wasRolledBack(error: unknown): boolean {
  return error instanceof DatabaseError && !/^(08|57|58|XX)/.test(error.code ?? "XX");
}
