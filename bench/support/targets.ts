import { MAX, type ScanSize } from "./payloads.ts";
import type { ScanKind } from "./services.ts";

export interface Target {
  id: string;
  /** The quotient that the target limits, such as "p50 ÷ bare". */
  label: string;
  better: "lower" | "higher";
  must: number;
  goal: number;
}

const lower = (id: string, label: string, must: number, goal: number): Target => ({
  id,
  label,
  better: "lower",
  must,
  goal,
});
const higher = (id: string, label: string, must: number, goal: number): Target => ({
  id,
  label,
  better: "higher",
  must,
  goal,
});

/** The targets. Each is compared with the median of its rounds. */
export const TARGETS = {
  maxNew: lower("201-max-new", "201, max, new: p50 ÷ bare", 1.6, 1.3),
  typicalNew: lower("201-typical-new", "201, typical, new: p50 ÷ bare", 2.3, 1.6),
  maxEvolving: lower("201-max-evolving", "201, max, evolving: p50 ÷ bare", 1.0, 0.7),
  typicalEvolving: lower("201-typical-evolving", "201, typical, evolving: p50 ÷ bare", 1.6, 1.2),
  maxDescription: lower("201-max-description", "201, max, description only: p50 ÷ bare", 0.9, 0.6),
  typicalDescription: lower(
    "201-typical-description",
    "201, typical, description only: p50 ÷ bare",
    1.4,
    1.0,
  ),
  maxRepeated: lower("201-max-repeated", "201, max, repeated: p50 ÷ bare", 0.4, 0.3),
  typicalRepeated: lower("201-typical-repeated", "201, typical, repeated: p50 ÷ bare", 1.1, 0.8),
  commandOverPlain: lower("201-command", "201: the command's request ÷ the plain one, p50", 1.15, 1.05),
  persistedMaxEvolving: higher(
    "persisted-max-evolving",
    "persisted/s, max, evolving ÷ synchronous COPY",
    2,
    3,
  ),
  persistedTypicalEvolving: higher(
    "persisted-typical-evolving",
    "persisted/s, typical, evolving ÷ synchronous COPY",
    1.3,
    2,
  ),
  persistedMaxNew: higher("persisted-max-new", "persisted/s, max, new ÷ synchronous COPY", 0.8, 1),
  persistedTypicalNew: higher(
    "persisted-typical-new",
    "persisted/s, typical, new ÷ synchronous COPY",
    0.8,
    1,
  ),
  rowsWritten: lower("rows-written", "rows written per scan, max: evolving ÷ new", 0.05, 0.02),
  logWritten: lower("log-written", "write-ahead log per scan, max: evolving ÷ new", 0.15, 0.08),
  descriptionStored: lower("description-stored", "stored bytes of a description: evolving ÷ new", 0.1, 0.08),
  diffOfReleases: lower("diff-releases", "diff of releases: comparison ÷ parsing", 3, 1),
  diffOfUnions: lower("diff-unions", "diff of a union in itself: comparison ÷ parsing", 3, 1),
  completedRedis: lower("completed-redis", "send to completed, idle, max, evolving, Redis: p50, ms", 60, 60),
  completedPostgres: lower(
    "completed-postgres",
    "send to completed, idle, max, evolving, Postgres queue: p50, ms",
    60,
    60,
  ),
  burstDerived: lower(
    "burst-derived",
    "3,000 services scanned again: first scan to all data derived, s",
    60,
    30,
  ),
  keyChecks: higher("keys", "key checks/s, concurrency 16 ÷ better-auth", 9, 15),
  tokenExchange: lower("token-exchange", "exchange of a build's token, p50 ÷ one key check, p50", 100, 50),
  cliVersion: lower("cli-version", "waymark --version ÷ node -e 0", 1.5, 1.5),
  cliDryRunJson: lower("cli-dry-run-json", "scan --dry-run, JSON ÷ parsing it alone", 1.5, 1.5),
  cliDryRunYaml: lower("cli-dry-run-yaml", "scan --dry-run, YAML ÷ parsing it alone", 1.5, 1.5),
  cliRealFiles: lower("cli-real-files", "real files whose endpoints differ from an independent count", 0, 0),
  cliLintJson: lower("cli-lint-json", "scan --dry-run --lint, JSON ÷ redocly lint", 1, 1),
  cliLintYaml: lower("cli-lint-yaml", "scan --dry-run --lint, YAML ÷ redocly lint", 1, 1),
  journeyFetch: lower("journey-fetch", "run an artifact, whole process ÷ fetch script", 1.0, 0.75),
  journeyRespect: lower("journey-respect", "run an artifact, whole process ÷ redocly respect", 0.35, 0.25),
  journeyRespectCore: higher("journey-respect-core", "journeys/s in one process ÷ respect-core", 20, 30),
  journeyStepci: higher("journey-stepci", "journeys/s in one process ÷ stepci", 3, 5),
  journeyCpu: lower("journey-cpu", "CPU per journey ÷ five requests on node:http", 1.5, 1.5),
  journeyHeap: lower("journey-heap", "heap after 10,000 journeys ÷ after 1,000", 1.1, 1.02),
  journeyCompile: lower("journey-compile", "compile the worked example ÷ parse its files", 3, 3),
  cloudRate: higher(
    "cloud-rate",
    "journeys per processor second of a worker ÷ of the command's runner",
    0.6,
    0.8,
  ),
  cloudStart: lower("cloud-start", "start of a run, idle: 202 to first request, p50, ms", 150, 50),
  cloudFair: lower("cloud-fair", "start of a run beside another organization's 1,000, ms", 2_000, 500),
  consoleReady: lower(
    "console-ready",
    "first screen ready on 150 ms and 1.6 Mbit/s, empty cache, ms",
    1_500,
    1_000,
  ),
  consoleFirstLoad: lower("console-first-load", "files of the first page, kB", 160, 120),
  consoleShift: lower("console-shift", "largest layout shift (CLS) of a page", 0.005, 0),
  consoleSearch: lower("console-search", "search over a million endpoint rows, slowest words, ms", 100, 50),
  consoleFindings: lower("console-findings", "search over 500,000 findings, slowest words, ms", 150, 75),
  consoleWork: lower("console-work", "work of an interaction with 2,000 rows, slowest, ms", 100, 50),
  consoleFrames: higher("console-frames", "frames/s while 2,000 rows scroll, of 60", 59, 59.9),
} as const satisfies Record<string, Target>;

const ACCEPT = {
  max: {
    new: TARGETS.maxNew,
    evolving: TARGETS.maxEvolving,
    "description only": TARGETS.maxDescription,
    repeated: TARGETS.maxRepeated,
  },
  typical: {
    new: TARGETS.typicalNew,
    evolving: TARGETS.typicalEvolving,
    "description only": TARGETS.typicalDescription,
    repeated: TARGETS.typicalRepeated,
  },
} as const;

/** The target of the 201 of such a scan. */
export function acceptTarget(size: ScanSize, kind: ScanKind): Target {
  return ACCEPT[size === MAX ? "max" : "typical"][kind];
}

/** Targets of a change, compared with the checkout before it. The 99th percentile of a turn is one request or four. */
export const BEFORE_AFTER = {
  p50: lower("before-after-p50", "201, p50: after ÷ before", 1.1, 1.0),
  p99: lower("before-after-p99", "201, p99: after ÷ before", 1.25, 1.0),
  persisted: higher("before-after-persisted", "fully persisted/s: after ÷ before", 0.9, 1.0),
} as const satisfies Record<string, Target>;

/** Whether a value meets a limit of the target. */
export function meets(target: Target, value: number, limit: number): boolean {
  return target.better === "lower" ? value <= limit : value >= limit;
}
