import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { root } from "../bootstrap/checkout.mjs";

/**
 * Runs a script of the checkout to its end and returns its standard output.
 *
 * @throws Error with what it wrote on standard error when it ends with anything but 0; the cause has its exit `code`
 */
export async function runScript(script: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const options = { cwd: root, env };
  try {
    return (await promisify(execFile)(process.execPath, [path.join(root, script), ...args], options)).stdout;
  } catch (error) {
    const told = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    throw new Error(told || `${script} failed: ${String(error)}`, { cause: error });
  }
}
