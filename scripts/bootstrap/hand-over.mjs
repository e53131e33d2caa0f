import { spawn } from "node:child_process";
import path from "node:path";

const endWithParent = new URL("./end-with-parent.mjs", import.meta.url).href;

/**
 * Runs `args` on `node` and ends as it ends: same exit code, or the same signal. Stays until it is gone, whatever
 * signal comes meanwhile.
 *
 * @param {string} node
 * @param {string[]} args
 * @returns {Promise<never>}
 */
export async function handOver(node, args) {
  const child = spawn(node, ["--import", endWithParent, ...args], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, PATH: [path.dirname(node), process.env.PATH].join(path.delimiter) },
  });
  // Ctrl-C in a terminal reaches the whole process group: the child has it already, and a second one could mean
  // "at once" to it.
  const terminal = process.stdin.isTTY;
  process.on("SIGINT", () => terminal || child.kill("SIGINT"));
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  process.on("SIGHUP", () => child.kill("SIGHUP"));

  const [code, signal] = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (...end) => resolve(end));
  });
  if (signal === null) process.exit(code);
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(name);
  process.kill(process.pid, signal);
  return new Promise(() => {});
}
