import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readlinkSync } from "node:fs";

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
  const state = hasProc ? statFields(pid)?.[0] : ps(pid, "state=");
  return state === undefined || !state.startsWith("Z");
}

/**
 * Tells a process from a later one with the same id: when it started, in the platform's own notation.
 * @param {number} pid
 * @returns {string} empty where there is no such process
 */
export function startMark(pid) {
  return (hasProc ? statFields(pid)?.[19] : ps(pid, "lstart=")) ?? "";
}

/**
 * True when the process was started for `folder`: it works in it or names it on its command line.
 * @param {number} pid
 * @param {string} folder absolute, without symbolic links
 */
export function worksIn(pid, folder) {
  if (!hasProc) return ps(pid, "command=").includes(folder);
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch {
    // Gone meanwhile, or another user's process, whose folder we may not read.
    return false;
  }
}

/**
 * The fields of /proc/PID/stat after the name, which may hold spaces: 0 is the state, 19 the start time.
 * @param {number} pid
 */
function statFields(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

/** @param {number} pid @param {string} column */
function ps(pid, column) {
  if (process.platform === "win32") return "";
  try {
    return execFileSync("ps", ["-o", column, "-p", String(pid)], { encoding: "utf8" }).trim();
  } catch {
    return "";
  }
}
