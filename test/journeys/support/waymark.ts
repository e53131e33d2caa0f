import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { root } from "../../../scripts/bootstrap/checkout.mjs";
import { cleanEnvironment } from "@waymark/test-support/run-node.ts";

export interface Ended {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

export interface WaymarkOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** Called with every piece of output, and a function to send a signal. */
  onOutput?: (text: string, kill: (signal: NodeJS.Signals) => void) => void;
}

const BIN = path.join(root, "cli/bin/waymark.mjs");

/** Runs the real command as a separate process, and returns its output, whatever its exit code. */
export function waymark(args: readonly string[], options: WaymarkOptions = {}): Promise<Ended> {
  const { cwd = tmpdir(), env = {}, onOutput } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [BIN, ...args], {
      cwd,
      env: cleanEnvironment(env),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8");
      child[name].on("data", (text: string) => {
        ended[name] += text;
        onOutput?.(text, (signal) => child.kill(signal));
      });
    }
    child.once("error", reject);
    child.once("close", (exitCode) => resolve({ exitCode, ...ended }));
  });
}

/** A folder that is there until the test has finished. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "waymark-journeys-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
