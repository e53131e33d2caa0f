import { spawn } from "node:child_process";
import path from "node:path";
import type { Account } from "./account.ts";

/** Where the embedded Postgres is, and who runs it. */
export interface Installation {
  /** With bin/, lib/ and share/. */
  binaries: string;
  account: Account | undefined;
}

/**
 * Runs a program of the embedded Postgres to its end. `output` is a file descriptor that it, and a server that it
 * starts, write to.
 *
 * @returns what is wrong, or undefined when it ended with 0
 */
export async function runProgram(
  { binaries, account }: Installation,
  [program = "", ...args]: readonly string[],
  output?: number,
): Promise<string | undefined> {
  const child = spawn(path.join(binaries, "bin", program), args, {
    ...account,
    cwd: path.parse(binaries).root,
    // Nothing of the launcher's environment: no settings of another Postgres, no secrets.
    env: {
      PATH: process.env["PATH"],
      LC_ALL: "C",
      TZ: "UTC",
      // Windows programs don't start without it.
      SystemRoot: process.env["SystemRoot"],
    },
    // In a process group of its own: Ctrl-C must reach the services first, and the server only when they are done.
    detached: true,
    stdio: ["ignore", output ?? "ignore", output ?? "pipe"],
  });
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once(output === undefined ? "close" : "exit", (code, signal) =>
      resolve(code === 0 ? undefined : `it ended with ${signal ?? `code ${code}`}:\n${stderr.trim()}`),
    );
  });
}
