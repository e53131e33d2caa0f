import { readFileSync } from "node:fs";

/** The user that the server runs as when the launcher is root: Postgres refuses to run as root itself. */
export interface Account {
  uid: number;
  gid: number;
}

/**
 * The account to run Postgres as, or undefined where the launcher's own will do.
 *
 * @throws Error when the launcher is root and the machine has neither a `postgres` nor a `nobody` user
 */
export function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  for (const name of ["postgres", "nobody"]) {
    const fields = users.find(([user]) => user === name);
    if (fields !== undefined) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new Error(
    "Postgres can't run as root, and this machine has no user `postgres` or `nobody` to run it as. " +
      "Start Waymark as an ordinary user, or set DATABASE_URL.",
  );
}
