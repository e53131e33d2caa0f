import { spawn } from "node:child_process";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { cleanEnvironment } from "@waymark/test-support/run-node.ts";

export interface NodeCommand {
  /** Everything after `node`. */
  args: readonly string[];
  env?: Record<string, string>;
  /** Text that its standard output must contain, or the benchmark fails. */
  prints: string;
  /** Exit codes that mean that it did its work. */
  exitCodes?: readonly number[];
}

const TIMEOUT_MS = 120_000;

/** The whole process, from its start to its end, in ms. */
export async function timeCommand(command: NodeCommand): Promise<number> {
  const startedAt = performance.now();
  await run(command);
  return performance.now() - startedAt;
}

function run({ args, env, prints, exitCodes = [0] }: NodeCommand): Promise<void> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: cleanEnvironment(env ?? {}),
    stdio: ["ignore", "pipe", "pipe"],
    timeout: TIMEOUT_MS,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code !== null && exitCodes.includes(code) && output.includes(prints)) return resolve();
      reject(new Error(`node ${args.join(" ")} ended with ${code ?? signal}:\n${output.slice(-2000)}`));
    });
  });
}
