import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isAlive, worksIn } from "../bootstrap/process-table.mjs";

export interface Postmaster {
  pid: number;
  port: number;
  /** It accepts connections: it neither starts, nor recovers, nor shuts down. */
  ready: boolean;
}

// Above every platform's highest process id: never alive.
const NO_PROCESS = 2_147_483_646;

/** The server that runs on `cluster`, as its `postmaster.pid` says and the process table confirms. */
export function runningPostmaster(cluster: string): Postmaster | undefined {
  const lines = pidFileLines(cluster);
  const pid = Number(lines?.[0]);
  if (lines === undefined || !(pid > 0) || !isAlive(pid) || !worksIn(pid, cluster)) return undefined;
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === "ready" };
}

/**
 * Makes a `postmaster.pid` that a killed server left behind harmless where its process id lives on, as a zombie or as
 * somebody else's process: Postgres would take it for a running server. The file stays, with an id that nobody has,
 * so that Postgres still checks whether orphaned backends use the shared memory that it names.
 */
export function disownStalePidFile(cluster: string): void {
  const lines = pidFileLines(cluster);
  if (lines === undefined || runningPostmaster(cluster) !== undefined) return;
  writeFileSync(path.join(cluster, "postmaster.pid"), [String(NO_PROCESS), ...lines.slice(1)].join("\n"));
}

function pidFileLines(cluster: string): string[] | undefined {
  try {
    return readFileSync(path.join(cluster, "postmaster.pid"), "utf8").split("\n");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
