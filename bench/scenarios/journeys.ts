import { execFile } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { type Baseline, startBaseline } from "../support/baseline.ts";
import type { Environment } from "../support/environment.ts";
import type { JourneyRuns } from "../support/journey-runs.ts";
import { timeCommand } from "../support/measured-command.ts";
import { installPeer, installRedocly } from "../support/peers.ts";
import { figuresOf, ratios, runRounds, type Subject, valuesOf } from "../support/rounds.ts";
import type { Scenario } from "../support/scenario.ts";
import { TARGETS } from "../support/targets.ts";
import { unpackWaymark } from "../support/unpack-waymark.ts";

/** Journeys per round: so many that each subject runs for about a second. */
const COUNTS = { waymark: 1_000, http: 1_000, respectCore: 10, stepci: 40 };
/** A runner lives for many journeys: what is measured in one process is what it costs once its code is compiled. */
const WARM_UP = { waymark: 8_000, http: 8_000, respectCore: 20, stepci: 200 };
const COMPILE = "compile";
const COMPILES = 20;
const HEAP_RUNS = [1_000, 10_000];

const folder = path.join(root, ".waymark/bench/journeys");
const journeys = path.join(root, "bench/journeys");
const fixtures = path.join(root, "examples/journeys");
const THINGS = {
  journey: path.join(journeys, "things.arazzo.yaml"),
  overlays: [],
  openapi: path.join(journeys, "things.openapi.yaml"),
  source: "things",
};
const WORKED_EXAMPLE = {
  journey: path.join(fixtures, "notes.journey.yaml"),
  overlays: [path.join(fixtures, "notes.gone.overlay.yaml")],
  openapi: path.join(fixtures, "notes.openapi.yaml"),
  source: "notes",
};

/** A journey of five steps over the life of a record: the whole process, and many in one process. */
export const measureJourneys: Scenario = async (environment, { rounds }) => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { process: server, ready: port } = await startBaseline(environment, "subjects/things-server.ts", {});
  const url = `http://127.0.0.1:${port}`;
  const waymark = await startBaseline(environment, "subjects/journeys.ts", {});

  process.stderr.write("  whole process:");
  const whole = await runRounds(await wholeProcesses(url), rounds);
  process.stderr.write("  in one process:");
  const inside = await runRounds(await inOneProcess(environment, waymark, url), rounds);
  const running = new Map([...inside].filter(([subject]) => subject !== COMPILE));
  const compiling = new Map([...inside].filter(([subject]) => subject === COMPILE));
  if ((await server.call<number>("left")) !== 0) throw new Error("a runner left records behind");
  process.stderr.write("  memory\n");
  const heap = await waymark.process.call<number[]>("heapAt", { files: THINGS, url, runs: HEAP_RUNS });

  return {
    scenario: "journeys",
    figures: [
      ...figuresOf(whole, [["ms", "ms"]]),
      ...figuresOf(running, [
        ["perSecond", "1/s"],
        ["cpuMs", "ms CPU"],
      ]),
      ...figuresOf(compiling, [
        ["parseMs", "ms"],
        ["compileMs", "ms"],
      ]),
    ],
    findings: [
      { target: TARGETS.journeyFetch, values: ratios(whole, "ms", "waymark journey run", "fetch script") },
      {
        target: TARGETS.journeyRespect,
        values: ratios(whole, "ms", "waymark journey run", "redocly respect"),
      },
      { target: TARGETS.journeyRespectCore, values: ratios(inside, "perSecond", "waymark", "respectCore") },
      { target: TARGETS.journeyStepci, values: ratios(inside, "perSecond", "waymark", "stepci") },
      { target: TARGETS.journeyCpu, values: ratios(inside, "cpuMs", "waymark", "http") },
      { target: TARGETS.journeyHeap, values: [(heap[1] ?? Number.NaN) / (heap[0] ?? Number.NaN)] },
      { target: TARGETS.journeyCompile, values: valuesOf(inside, COMPILE, "ratio") },
    ],
  };
};

async function wholeProcesses(url: string): Promise<Subject[]> {
  const waymark = await unpackWaymark(folder);
  const artifact = path.join(folder, "things.artifact.json");
  await promisify(execFile)(process.execPath, [
    waymark,
    "journey",
    "build",
    THINGS.journey,
    "--out",
    artifact,
  ]);
  const redocly = await installRedocly();
  const server = ["--server", `things=${url}`];
  const commands = {
    "waymark journey run": { args: [waymark, "journey", "run", artifact, ...server], prints: "passed" },
    "fetch script": { args: [path.join(root, "bench/baselines/journeys-fetch.mjs"), url], prints: "passed" },
    "redocly respect": {
      ...redocly,
      args: [...redocly.args, "respect", THINGS.journey, ...server],
      prints: "passed",
    },
  };
  return Object.entries(commands).map(([name, command]) => ({
    name,
    measure: async () => ({ ms: await timeCommand(command) }),
  }));
}

async function inOneProcess(environment: Environment, waymark: Baseline, url: string): Promise<Subject[]> {
  const respectCore = await startBaseline(environment, "baselines/respect-core.ts", {
    PEER: await installPeer("@redocly/respect-core"),
  });
  const stepci = await startBaseline(environment, "baselines/stepci.ts", {
    PEER: await installPeer("@stepci/runner"),
  });
  const http = await startBaseline(environment, "baselines/journeys-http.ts", {});
  const running = (
    name: keyof typeof COUNTS,
    { process: subject }: Baseline,
    args: Record<string, unknown>,
  ): Subject => ({
    name,
    measure: async (round) => {
      const count = round < 0 ? WARM_UP[name] : COUNTS[name];
      return { ...(await subject.call<JourneyRuns>("run", { url, count, ...args })) };
    },
  });
  return [
    running("waymark", waymark, { files: THINGS }),
    running("http", http, {}),
    running("respectCore", respectCore, { file: THINGS.journey }),
    running("stepci", stepci, {}),
    {
      name: COMPILE,
      measure: async () => {
        const args = { files: WORKED_EXAMPLE, count: COMPILES };
        const { parseMs, compileMs } = await waymark.process.call<{ parseMs: number; compileMs: number }>(
          "compile",
          args,
        );
        return { parseMs, compileMs, ratio: compileMs / parseMs };
      },
    },
  ];
}
