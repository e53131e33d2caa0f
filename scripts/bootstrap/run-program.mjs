import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

const endWithParent = new URL("./end-with-parent.mjs", import.meta.url).href;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs a script on `node` and ends like it: with the same exit code, or the same signal.
 *
 * @param {string} node
 * @param {string[]} args script and arguments
 */
export async function handOver(node, [script = "", ...args]) {
  const all = ["--import", endWithParent, path.resolve(script), ...args];
  const end = await runProgram(node, all, { node, stdio: ["inherit", "inherit", "inherit", "ipc"] });
  if (typeof end === "number") process.exit(end);
  process.kill(process.pid, end);
}

/**
 * Runs a program to its end, and prints its output only if it fails.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd: string, node: string }} options
 * @throws Error when it ends with anything but 0; it has said why on standard error
 */
export async function runQuietly(program, args, options) {
  const end = await runProgram(program, args, { ...options, stdio: ["ignore", "ignore", "inherit"] });
  if (end !== 0) throw new Error(`${[program, ...args].join(" ")} ended with ${end}, in ${options.cwd}.`);
}

/**
 * Waits for the end of the program, and forwards signals to it.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions & { node: string }} options `node`: the one on the program's PATH
 * @returns {Promise<number | NodeJS.Signals>}
 */
async function runProgram(program, args, { node, ...options }) {
  const env = { ...process.env, PATH: [path.dirname(node), process.env.PATH].join(path.delimiter) };
  // On Windows npm is a .cmd file.
  const shell = process.platform === "win32" && program === "npm";
  const child = spawn(program, args, { ...options, env, shell });
  // Ctrl-C in a terminal reaches the whole process group: the child has it already, and a second one could mean
  // "at once" to it.
  const terminal = process.stdin.isTTY;
  /** @param {NodeJS.Signals} signal */
  const handOn = (signal) => (signal === "SIGINT" && terminal) || child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, handOn);
  const parent = process.ppid;
  const watch = setInterval(() => {
    // npm forwards a SIGTERM to its shell only. Without npm, a launcher may outlive its parent.
    if (parent === process.ppid || process.env.npm_lifecycle_event === undefined) return;
    clearInterval(watch);
    child.kill();
  }, 500);
  const [code, signal] = await once(child, "exit");
  clearInterval(watch);
  for (const name of SIGNALS) process.off(name, handOn);
  return code ?? signal;
}
