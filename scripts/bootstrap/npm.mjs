import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

const KEPT_LINES = 30;

/**
 * Runs npm in `cwd` without the settings of an npm that started us, and keeps quiet unless it fails.
 *
 * @param {string[]} args
 * @param {{ node: string, cwd: string, onLine?: (line: string) => void }} options npm itself runs on `node`
 * @returns {Promise<void>}
 * @throws Error with the end of npm's own output
 */
export function npm(args, { node, cwd, onLine }) {
  const cli = findNpmCli();
  // Without a script to run on `node`, npm is whatever the PATH holds: on Windows a .cmd file, which needs a shell.
  const child =
    cli === undefined
      ? spawn("npm", args, {
          cwd,
          env: npmEnvironment(),
          stdio: ["ignore", "pipe", "pipe"],
          shell: process.platform === "win32",
        })
      : spawn(node, [cli, ...args], { cwd, env: npmEnvironment(), stdio: ["ignore", "pipe", "pipe"] });
  /** @type {string[]} */
  const lines = [];
  const keep = (/** @type {string} */ line) => {
    onLine?.(line);
    if (line.startsWith("npm http ")) return;
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
  };
  eachLine(child.stdout, keep);
  eachLine(child.stderr, keep);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0) resolve();
      else
        reject(
          new Error(`npm ${args[0]} in ${cwd} ended with ${signal ?? `code ${code}`}:\n${lines.join("\n")}`),
        );
    });
  });
}

/** npm's own script, so that it can run on a Node of our choice. */
function findNpmCli() {
  const beside = path.dirname(process.execPath);
  const candidates = [
    process.env.npm_execpath,
    path.join(beside, "../lib/node_modules/npm/bin/npm-cli.js"),
    path.join(beside, "node_modules/npm/bin/npm-cli.js"),
  ];
  return candidates.find(
    (file) => file !== undefined && path.basename(file) === "npm-cli.js" && existsSync(file),
  );
}

function npmEnvironment() {
  const env = { ...process.env };
  // Set by an outer `npm run`; inside another folder they would point npm back at the outer project.
  for (const name of Object.keys(env)) {
    if (/^npm_(package|lifecycle)_/.test(name) || name === "npm_config_local_prefix" || name === "INIT_CWD") {
      delete env[name];
    }
  }
  return env;
}

/** @param {import("node:stream").Readable} stream @param {(line: string) => void} onLine */
function eachLine(stream, onLine) {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk) => {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? "";
    lines.forEach(onLine);
  });
  stream.on("end", () => {
    if (rest !== "") onLine(rest);
  });
}
