import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const hasProc = existsSync("/proc/self/stat");

/**
 * True while a process with this id exists and is not merely waiting to be reaped.
 * @param {number} pid
 */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, and is another user's.
    if (error.code !== "EPERM") return false;
  }
  return !stateOf(pid).startsWith("Z");
}

/**
 * The state letter of a process where the platform tells it.
 * @param {number} pid
 */
function stateOf(pid) {
  if (process.platform === "win32") return "";
  try {
    // After the name, which may hold spaces and brackets.
    const stat = hasProc ? readFileSync(`/proc/${pid}/stat`, "utf8") : undefined;
    if (stat !== undefined) return stat.slice(stat.lastIndexOf(")") + 2);
    return execFileSync("ps", ["-o", "state=", "-p", String(pid)], { encoding: "utf8" }).trim();
  } catch {
    return "";
  }
}
