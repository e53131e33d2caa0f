import { readFileSync } from "node:fs";

/** Clock ticks of a processor per second: fixed for programs on Linux. */
const TICKS_PER_SECOND = 100;

/**
 * Returns the processor time of a process and of all its descendants, in milliseconds. A descendant that has ended
 * counts once its parent has noticed.
 *
 * @throws Error where there is no /proc
 */
export function cpuMsOfTree(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // After the name, which may contain blanks: user and system time of itself and of its ended children.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  return (
    (ticks * 1_000) / TICKS_PER_SECOND + children.reduce((sum, child) => sum + tryTree(Number(child)), 0)
  );
}

function tryTree(pid: number): number {
  try {
    return cpuMsOfTree(pid);
  } catch {
    // It has ended meanwhile, and its parent counts it.
    return 0;
  }
}
