import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isAlive, startMark } from "../bootstrap/process-table.mjs";

/** Counts the launchers that share one server: the last one to leave stops it. To be called under the lock. */
export function registerUser(folder: string): void {
  const users = path.join(folder, "postgres.users");
  mkdirSync(users, { recursive: true });
  writeFileSync(path.join(users, String(process.pid)), startMark(process.pid));
}

/** @returns true when no launcher is left that lives */
export function unregisterUser(folder: string): boolean {
  const users = path.join(folder, "postgres.users");
  rmSync(path.join(users, String(process.pid)), { force: true });
  const others = readdirSync(users).filter((name) => {
    const pid = Number(name);
    const alive = isAlive(pid) && readFileSync(path.join(users, name), "utf8") === startMark(pid);
    if (!alive) rmSync(path.join(users, name), { force: true });
    return alive;
  });
  return others.length === 0;
}
