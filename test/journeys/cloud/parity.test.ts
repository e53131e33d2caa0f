import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { canonicalJson } from "@waymark/journeys/compile/canonical.ts";
import { comparable } from "@waymark/journeys/result/comparable.ts";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { sendChangeset } from "@waymark/test-support/journeys.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import { QUEUES, type QueueName, type Stack, startStack } from "@waymark/test-support/stack.ts";
import { inParallel } from "../../faults/support/submit.ts";
import { waymark } from "../support/waymark.ts";
import { parityJourneys, startEchoServer } from "./support/parity-journeys.ts";

const SEED = "parity";
/** Most of a run is waiting. */
const AT_ONCE = 4;

let server: Awaited<ReturnType<typeof startEchoServer>>;
let files: Record<string, string>;
/** The queue wakes the worker only: it changes nothing about a run. */
const QUEUES_HERE: readonly QueueName[] = scaled({ short: ["postgres"], long: [...QUEUES] });

/** The command's results, by file. */
const local = new Map<string, JourneyResult>();

beforeAll(async () => {
  server = await startEchoServer();
  files = parityJourneys(server.url);
  const cwd = mkdtempSync(join(tmpdir(), "waymark-parity-"));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(cwd, file), text);
  writeFileSync(
    join(cwd, "waymark.yaml"),
    `environments: { test: { servers: { echo: "${server.url}" } } }\n`,
  );
  const args = ["--env", "test", "--seed", SEED, "--report", "json=results.json"];
  const { exitCode, stderr } = await waymark(["journey", "run", ...journeyFiles(), ...args, "--quiet"], {
    cwd,
  });
  // Some of them fail, and that is what they show.
  if (exitCode === null || exitCode >= 6) throw new Error(`journey run: ${stderr}`);
  const results: JourneyResult[] = JSON.parse(readFileSync(join(cwd, "results.json"), "utf8"));
  for (const [at, file] of journeyFiles().entries()) {
    const result = results[at];
    if (result !== undefined) local.set(file, result);
  }
  rmSync(cwd, { recursive: true });
});
afterAll(() => server[Symbol.asyncDispose]());

function journeyFiles(): string[] {
  return Object.keys(files).filter((file) => file.endsWith(".journey.yaml"));
}

describe.each(QUEUES_HERE)("41 journeys in the cloud, with the queue on %s", (queue) => {
  let stack: Stack;
  beforeAll(async () => {
    server.reset();
    stack = await startStack({
      queue,
      workerEnv: { WORKER_ROLES: "journeys", JOURNEY_EGRESS_ALLOW: `127.0.0.1:${server.port}` },
    });
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  it("come to the programs and results of the command, byte for byte", async () => {
    const changes = Object.entries(files).map(([path, text]) => ({ path, text, baseVersion: null }));
    expect((await sendChangeset(stack, { changes })).status).toBe(201);
    const environment = await stack.http.post<{ id: string }>("/api/environments", {
      name: "test",
      servers: { echo: server.url },
    });
    const environmentId = environment.body.id;
    expect(journeyFiles()).toHaveLength(41);
    const paths = journeyFiles();
    await inParallel({ total: paths.length, atOnce: AT_ONCE }, async (number) => {
      const path = paths[number] ?? "";
      const expected = local.get(path);
      const request = { path, environmentId, seed: expected?.seed, expectProgram: expected?.artifact };
      const started = await stack.http.post<{ runId: string }>("/api/journey-runs", request);
      expect(started.text).toContain(expected?.artifact);
      const result = await resultOf(stack, started.body.runId);
      expect(expected).toBeDefined();
      expect(canonicalJson(comparable(result))).toBe(canonicalJson(comparable(expected ?? result)));
      // The command's own result contradicts nothing, and redacting it again changes nothing.
      const uploaded = await stack.http.post<{ runId: string }>("/api/journey-results", { result: expected });
      expect([path, uploaded.status, uploaded.text]).toEqual([path, 201, expect.any(String)]);
      const claimed = await resultOf(stack, uploaded.body.runId);
      expect(canonicalJson(comparable(claimed))).toBe(canonicalJson(comparable(expected ?? result)));
    });
  });
});

async function resultOf({ http }: Stack, runId: string): Promise<JourneyResult> {
  const end = Date.now() + 90_000;
  for (let after = -1; ;) {
    const path = `/api/journey-runs/${runId}/steps?after=${after}&waitSeconds=5`;
    const { body } = await http.get<{ steps: { seq: number }[]; isFinal: boolean }>(path);
    if (body.isFinal) break;
    after = body.steps.at(-1)?.seq ?? after;
    if (Date.now() > end) throw new Error(`run ${runId} did not end`);
    await sleep(0);
  }
  return (await http.get<JourneyResult>(`/api/journey-runs/${runId}/result`)).body;
}
