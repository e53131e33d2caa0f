import { spawn } from "node:child_process";
import path from "node:path";
import { root } from "../bootstrap/checkout.mjs";

/**
 * Runs a script of the checkout to its end and returns its standard output.
 *
 * @throws Error with what it wrote on standard error when it ends with anything but 0; the cause is what it ended with
 */
export async function runScript(script: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, [path.join(root, script), ...args], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const end = await new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? signal));
  });
  if (end === 0) return stdout;
  throw new Error(stderr.trim() || `${script} ended with ${end}.`, { cause: end });
}
