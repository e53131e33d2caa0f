// A process that runs the services of many tests. Each has sockets, pools, metrics and a log of its own, as in a process of
// its own, and starts in a tenth of the time: the code is loaded and compiled already.
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createDatabasePool } from "@waymark/server/db/pool.ts";
import type { DestinationStream } from "@waymark/server/lib/logger.ts";
import type { RunningProcess } from "@waymark/server/lib/run-process.ts";
import { startApi } from "../../../services/api/src/app/start-api.ts";
import { loadConfig as loadApiConfig } from "../../../services/api/src/config.ts";
import { createOrganization } from "../../../services/api/src/organizations/create-organization.ts";
import { startWorker } from "../../../services/worker/src/app/start-worker.ts";
import { loadConfig as loadWorkerConfig } from "../../../services/worker/src/config.ts";
import { startAgainWhenLate } from "../start-again.ts";
import type { HostAnswer, HostRequest, HostRequests, Organization } from "./protocol.ts";

type Result = HostRequests[keyof HostRequests]["result"];

const running = new Map<string, RunningProcess & { closeLog: () => void }>();
const folder = mkdtempSync(path.join(tmpdir(), "waymark-host-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.on("SIGTERM", () => process.exit());

// Also without a service it waits for the next request.
process.channel?.ref();
process.on("message", (request: HostRequest) => {
  answer(request).then(
    (result) => send({ id: request.id, result }),
    (error: unknown) => send({ id: request.id, error: String(error) }),
  );
});

function send(message: HostAnswer): void {
  process.send?.(message);
}

async function answer({ id, what, options }: HostRequest): Promise<Result> {
  if (what === "api") return start(id, (log) => startApi(loadApiConfig(options.env), log));
  if (what === "worker") return start(id, (log) => startWorker(loadWorkerConfig(options.env), log));
  if (what === "stop") return stop(options.logFile);
  return startAgainWhenLate(() => makeOrganization(options));
}

async function start(id: number, service: (log: DestinationStream) => Promise<RunningProcess>) {
  const logFile = path.join(folder, `${id}.log`);
  let log: number | undefined = openSync(logFile, "a");
  // A timer may outlive its service and log something. Nothing outlives a process.
  const write = (line: string) => void (log !== undefined && writeSync(log, line));
  const closeLog = () => {
    if (log !== undefined) closeSync(log);
    log = undefined;
  };
  running.set(logFile, { ...(await service({ write })), closeLog });
  return { logFile };
}

/** As a process ends: its exit code. */
async function stop(logFile: string) {
  const service = running.get(logFile);
  if (service === undefined) throw new Error(`no service logs to ${logFile}`);
  running.delete(logFile);
  try {
    await service.close();
    return { code: 0, signal: null };
  } catch (error) {
    service.logger.error({ err: error }, "could not close cleanly");
    return { code: 1, signal: null };
  } finally {
    service.closeLog();
  }
}

async function makeOrganization({
  databaseUrl,
  name,
}: {
  databaseUrl: string;
  name: string;
}): Promise<Organization> {
  const db = await createDatabasePool(databaseUrl, { max: 1, applicationName: "test" });
  try {
    return await createOrganization(db, { name });
  } finally {
    await db.end();
  }
}
