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
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<string> {
  const options = {
    cwd: root,
    env,
    killSignal: "SIGKILL",
    ...(signal === undefined ? {} : { signal }),
  } as const;
  try {
    return (await promisify(execFile)(process.execPath, [path.join(root, script), ...args], options)).stdout;
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
