import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { root } from "../bootstrap/checkout.mjs";

/**
 * Runs a script of the checkout to its end and returns its standard output. The signal kills it.
 *
 * @throws Error with what it wrote when it ends with anything but 0; the cause has its exit `code`
 */
export async function runScript(
  script: string,
  args: string[],
  { input = "", ...options }: { env: NodeJS.ProcessEnv; signal?: AbortSignal; input?: string; cwd?: string },
): Promise<string> {
  const command = [path.join(root, script), ...args];
  const run = promisify(execFile)(process.execPath, command, {
    cwd: root,
    killSignal: "SIGKILL",
    ...options,
  });
  run.child.stdin?.on("error", () => undefined).end(input);
  try {
    return (await run).stdout;
  } catch (error) {
    const told = writtenBy(error);
    throw new Error(told || `${script} failed: ${String(error)}`, { cause: error });
  }
}

/** On standard error, otherwise on standard output. */
function writtenBy(error: unknown): string {
  if (!(error instanceof Error && "stderr" in error && "stdout" in error)) return "";
  return String(error.stderr).trim() || String(error.stdout).trim();
}
