import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isAlive, startMark } from "../bootstrap/process-table.mjs";

/** Counts the launchers that share one server: the last one to leave stops it. To be called under the lock. */
export function registerUser(folder: string): void {
  mkdirSync(usersFolder(folder), { recursive: true });
  writeFileSync(userFile(folder, process.pid), startMark(process.pid));
}

/** @returns true when no launcher is left that lives */
export function unregisterUser(folder: string): boolean {
  rmSync(userFile(folder, process.pid), { force: true });
  const living = livingUsers(folder);
  for (const pid of registeredUsers(folder)) {
    if (!living.includes(pid)) rmSync(userFile(folder, pid), { force: true });
  }
  return living.length === 0;
}

/** The process ids of the launchers that use the server of this folder now. */
export function livingUsers(folder: string): number[] {
  return registeredUsers(folder).filter(
    (pid) => isAlive(pid) && readFileSync(userFile(folder, pid), "utf8") === startMark(pid),
  );
}

function registeredUsers(folder: string): number[] {
  return existsSync(usersFolder(folder)) ? readdirSync(usersFolder(folder)).map(Number) : [];
}

function usersFolder(folder: string): string {
  return path.join(folder, "postgres.users");
}

function userFile(folder: string, pid: number): string {
  return path.join(usersFolder(folder), String(pid));
}
