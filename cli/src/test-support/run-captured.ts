import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough, Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { runCli } from "../app/run-cli.ts";
import type { Environment } from "../lib/config.ts";
import { DEFAULT_TIMES, type NetworkTimes } from "../http/times.ts";

export interface Captured {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs a command line in this process with its own streams and environment. */
export async function runCaptured(
  args: readonly string[],
  options: {
    env?: Environment;
    stdin?: string | Buffer;
    cwd?: string;
    times?: Partial<NetworkTimes>;
    terminal?: boolean;
    /** True if standard input is a terminal that gives its text as answers. */
    asks?: boolean;
  } = {},
): Promise<Captured> {
  const isTTY = options.terminal ?? false;
  const stdout = Object.assign(new PassThrough(), { isTTY });
  const stderr = Object.assign(new PassThrough(), { isTTY });
  const texts = { stdout: "", stderr: "" };
  stdout.on("data", (chunk: Buffer) => (texts.stdout += chunk.toString()));
  stderr.on("data", (chunk: Buffer) => (texts.stderr += chunk.toString()));
  const stdin = Object.assign(
    Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]),
    { isTTY: options.asks ?? (isTTY && options.stdin === undefined) },
  );
  const exitCode = await runCli(args, {
    env: options.env ?? {},
    cwd: options.cwd ?? tmpdir(),
    times: { ...DEFAULT_TIMES, firstDelayMs: 1, attemptsMax: 3, ...options.times },
    openStdin: () => stdin,
    stdout,
    stderr,
    colorDepth: 1,
  });
  return { exitCode, ...texts };
}

export interface TemporaryFolder {
  path: string;
  /** Writes a file and its folders. @returns its absolute path */
  write: (name: string, content: string | Buffer) => Promise<string>;
}

/** A folder that exists until the test has finished. */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), "waymark-cli-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return {
    path: folder,
    write: async (name, content) => {
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, content);
      return file;
    },
  };
}
