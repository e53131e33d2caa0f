export interface Target {
  id: string;
  /** What is divided by what. */
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

/** What must hold. Each is held against the median of its rounds. */
export const TARGETS = {
  maxNew: lower("201-max-new", "201, max, new content: p50 ÷ bare", 1.5, 1.1),
  typicalNew: lower("201-typical-new", "201, typical, new content: p50 ÷ bare", 2.0, 1.3),
  maxRepeated: lower("201-max-repeated", "201, max, repeated content: p50 ÷ bare", 0.5, 0.3),
  typicalRepeated: lower("201-typical-repeated", "201, typical, repeated content: p50 ÷ bare", 1.0, 0.7),
  walPerIngest: lower("wal-max", "write-ahead log per max ingest ÷ raw body stored", 0.3, 0.2),
  maxWithWorker: lower("201-max-worker", "201, max, worker running: p50 ÷ synchronous", 0.5, 0.33),
  persistedMaxNew: higher("persisted-max-new", "fully persisted/s, max, new content ÷ synchronous", 0.9, 1.1),
  persistedTypicalNew: higher(
    "persisted-typical-new",
    "fully persisted/s, typical, new content ÷ synchronous",
    0.8,
    1.0,
  ),
  persistedMaxMixed: higher(
    "persisted-max-mixed",
    "fully persisted/s, max, 80 % repeated ÷ synchronous",
    3,
    5,
  ),
  persistedTypicalMixed: higher(
    "persisted-typical-mixed",
    "fully persisted/s, typical, 80 % repeated ÷ synchronous",
    2,
    4,
  ),
  rowsOfOneRun: higher("rows-max", "one run's rows, new content, max ÷ binary COPY", 0.9, 1.1),
  completedRedis: lower("completed-redis", "201 to completed, idle, max, Redis ÷ expansion alone", 3, 1.5),
  completedPostgres: lower(
    "completed-postgres",
    "201 to completed, idle, max, Postgres queue ÷ expansion alone",
    5,
    2,
  ),
  keyChecks: higher("keys", "key checks/s, concurrency 16 ÷ better-auth", 9, 15),
  fleetRate: higher("fleet-rate", "fleet: rate sent ÷ rate asked for", 0.97, 0.99),
  fleetBacklog: lower("fleet-backlog", "fleet: longest backlog, seconds of arrivals", 2, 1),
  fleetPersisted: lower("fleet-persisted", "fleet: accepted runs or rows that were not persisted", 0, 0),
  fleetMemory: lower("fleet-memory", "fleet: api memory, MB", 400, 300),
  heap: lower("heap", "api heap after a collection, at 100,000 ingests ÷ at 10,000", 1.1, 1.02),
  cliVersion: lower("cli-version", "waymark --version ÷ node -e 0", 1.5, 1.5),
  cliDryRunJson: lower("cli-dry-run-json", "scan --dry-run, JSON ÷ parsing it alone", 1.5, 1.5),
  cliDryRunYaml: lower("cli-dry-run-yaml", "scan --dry-run, YAML ÷ parsing it alone", 1.5, 1.5),
  cliLintJson: lower("cli-lint-json", "scan --dry-run --lint, JSON ÷ redocly lint", 1, 1),
  cliLintYaml: lower("cli-lint-yaml", "scan --dry-run --lint, YAML ÷ redocly lint", 1, 1),
  journeyFetch: lower("journey-fetch", "run an artifact, whole process ÷ fetch script", 1.0, 0.75),
  journeyRespect: lower("journey-respect", "run an artifact, whole process ÷ redocly respect", 0.35, 0.25),
  journeyRespectCore: higher("journey-respect-core", "journeys/s in one process ÷ respect-core", 20, 30),
  journeyStepci: higher("journey-stepci", "journeys/s in one process ÷ stepci", 3, 5),
  journeyCpu: lower("journey-cpu", "CPU per journey ÷ five requests on node:http", 1.5, 1.5),
  journeyHeap: lower("journey-heap", "heap after 10,000 journeys ÷ after 1,000", 1.1, 1.02),
  journeyCompile: lower("journey-compile", "compile the worked example ÷ parse its files", 3, 3),
} as const satisfies Record<string, Target>;

/** What a change may cost, against the checkout before it. The 99th percentile of one turn is one request or four. */
export const BEFORE_AFTER = {
  p50: lower("before-after-p50", "201, p50: after ÷ before", 1.1, 1.0),
  p99: lower("before-after-p99", "201, p99: after ÷ before", 1.25, 1.0),
  persisted: higher("before-after-persisted", "fully persisted/s: after ÷ before", 0.9, 1.0),
} as const satisfies Record<string, Target>;

/** Whether a value meets a limit of the target. */
export function meets(target: Target, value: number, limit: number): boolean {
  return target.better === "lower" ? value <= limit : value >= limit;
}
