import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The processes that a process has started and that run now. */
export async function processesOf(pid: number): Promise<number[]> {
  const { stdout } = await run("pgrep", ["-P", String(pid)]).catch(() => ({ stdout: "" }));
  return stdout.split("\n").filter(Boolean).map(Number);
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}
