/** Part of util-linux, which Debian and most distributions of Linux have. */
const CHRT = "/usr/bin/chrt";

/**
 * From now on, this process and those that it starts run when no other process wants the processor (SCHED_IDLE). That is more than
 * the lowest priority, whose processes keep the processor for some milliseconds more. Where there is no `chrt`, it is that priority.
 */
export function giveWay(pid: number): void {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const chrt = spawn(CHRT, ["--all-tasks", "--idle", "--pid", "0", String(pid)], {
    env: {},
    stdio: "ignore",
  });
  chrt.unref();
  chrt.once("error", () => {
    lowerPriority(pid);
  });
  chrt.once("exit", (code) => {
    if (code !== 0) lowerPriority(pid);
  });
}

function lowerPriority(pid: number): void {
  const { constants, setPriority } = process.getBuiltinModule("node:os");
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended.
  }
}
