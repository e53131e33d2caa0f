/** Postgres' code for a write in a session that can only read. */
export const READ_ONLY = "25006";

// Socket errors, and the SQLSTATE classes for a temporary problem: 08 connection, 25P03 idle for too long, 25006 read-only
// standby, 40 conflict with another transaction, 53 resources (disk full, too many connections), 55P03 locked,
// 57 cancelled, shutting down or starting, 58 disk failure.
const UNAVAILABLE_CODE =
  /^(E(CONN(REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|(HOST|NET)(UNREACH|DOWN)|AI_AGAIN|NOTFOUND)|08...|25P03|25006|40...|53...|55P03|57...|58...)$/;

// Messages of pg and its pool that have no code.
const UNAVAILABLE_MESSAGE =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client (was closed|has encountered a connection error)|Query read timeout)/;

/**
 * Returns the error if it says that its connection can only read: its server is a standby now. A new connection may lead to
 * the primary.
 */
export function readOnlySession(error: unknown): Error | undefined {
  return error instanceof Error && errorCode(error) === READ_ONLY ? error : undefined;
}

/** Returns the SQLSTATE or the code of a socket's error; an empty text if it has none. */
export function errorCode(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Whether a retry may succeed: the database was unavailable, full, locked or too slow, or the statement had a conflict. */
export function isDatabaseUnavailable(error: Error): boolean {
  const code = errorCode(error);
  if (UNAVAILABLE_CODE.test(code) || UNAVAILABLE_MESSAGE.test(error.message)) return true;
  // Without a server there is no file of its Unix socket.
  if (code === "ENOENT" && "syscall" in error && error.syscall === "connect") return true;
  return error.cause instanceof Error && isDatabaseUnavailable(error.cause);
}
