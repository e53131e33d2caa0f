import type { Resumed } from "./resume.ts";
import { acceptanceResults } from "../result/acceptance.ts";
import { isoTime } from "../result/iso-time.ts";
import type { JourneyResult, RunStatus } from "../result/result.ts";
import { cleanResults } from "./clean-results.ts";
import { learnLiterals, learnValues } from "./learn-secrets.ts";
import { coverageOf } from "./coverage.ts";
import { resolveInputs } from "./inputs.ts";
import { createKnownSecrets } from "./known-secrets.ts";
import { DEFAULT_LIMITS, RunAborted } from "./limits.ts";
import type { PreparedJourney, Run, RunOptions, Until } from "./state.ts";
import type { RunDependencies } from "./transport.ts";
import { newSeed } from "./random.ts";
import { createRunBudget } from "./run-budget.ts";
import { createRunLog, type RunLog } from "./run-log.ts";
import { cleanFields, shownRecord } from "./values.ts";
import { runWorkflow } from "./workflow.ts";
import type { WorkflowOutcome } from "./workflow.ts";

/**
 * Runs a journey once. Every behaviour of the journey, its target and its limits gives a result; it throws only for a bug of
 * this program or of a dependency.
 */
export function runJourney(
  prepared: PreparedJourney,
  deps: RunDependencies,
  options: RunOptions = {},
): Promise<JourneyResult> {
  return runProgram(prepared, deps, options);
}

/** Runs a journey, or up to a step. What ends at a step is no result of the journey, so only `tryStep` calls it with one. */
export async function runProgram(
  prepared: PreparedJourney,
  deps: RunDependencies,
  { until, ...options }: RunOptions & { until?: Until },
): Promise<JourneyResult> {
  const { program } = prepared.artifact;
  const entry = program.workflows[program.entry];
  if (entry === undefined) throw new Error(`the program has no workflow "${program.entry}"`);
  const resumed = await openResume(prepared, deps, options);
  const run: Run = { ...openRun(prepared, deps, options, resumed), until };
  const given = resumed?.inputs ?? options.inputs ?? {};
  const inputs = await resolveInputs(entry, given, { ...inputsOf(run), isEntry: true });
  run.known.add(inputs.secrets);
  learnLiterals(run);
  learnValues(run, { kind: "input", workflow: program.entry }, inputs.values);
  run.known.addReferences(inputs.references);
  if (inputs.problem !== undefined) run.log.fail(inputs.problem);
  const ended =
    run.log.error === undefined ? await runEntry(run, inputs.values) : { status: "error" as const };
  const status = finalStatus(run, ended.status);
  run.log.cleanStale((results) => cleanResults(run.known, results));
  return {
    schema: "journey-result/1",
    runId: run.id,
    artifact: prepared.artifact.id,
    ...(prepared.fileDigest === undefined ? {} : { artifactFile: prepared.fileDigest }),
    seed: run.seed,
    status,
    ...(run.log.error === undefined || status === "passed"
      ? {}
      : { error: cleanFields(run.known, run.log.error, ["message"]) }),
    journey: { ...program.journey, overlays: prepared.artifact.provenance.overlays.map(({ id }) => id) },
    where: {
      runner: options.runner ?? "cli",
      ...(program.environment === undefined ? {} : { environment: program.environment }),
    },
    startedAt: isoTime(run.startedAt),
    ms: deps.clock.monotonic() - run.start,
    inputs: shownRecord(run, inputs.shown),
    steps: [...run.log.results],
    acceptance: acceptanceResults(entry.acceptance, run.log.results),
    coverage: coverageOf(run),
    outputs: shownRecord(run, "outputs" in ended ? (ended.outputs ?? {}) : {}),
    teardown: { status: teardownStatus(run.log) },
    contract: contractOf(run),
  };
}

function inputsOf({ deps, prepared, evaluator, known }: Run) {
  return { resolveSecret: deps.resolveSecret, schemas: prepared.schemas, evaluator, shield: known.shield };
}

function contractOf({ log, options }: Run): JourneyResult["contract"] {
  const { checks, failures } = log.contract;
  return {
    status: failures > 0 ? "failed" : checks > 0 ? "passed" : "none",
    strict: options.strictContract === true,
    failures,
  };
}

/** Reads the state that the run resumes from, and loads the code for it only then. @throws CheckpointError */
async function openResume(
  prepared: PreparedJourney,
  deps: RunDependencies,
  options: RunOptions,
): Promise<Resumed | undefined> {
  if (options.resume === undefined) return undefined;
  const { resumeFrom } = await import("./resume.ts");
  return resumeFrom(prepared.artifact, { ...options, ...options.resume, resolveSecret: deps.resolveSecret });
}

function openRun(
  prepared: PreparedJourney,
  deps: RunDependencies,
  options: RunOptions,
  resumed: Resumed | undefined,
): Omit<Run, "until"> {
  const start = deps.clock.monotonic() - (resumed?.checkpoint.elapsedMs ?? 0);
  const log = createRunLog();
  const budget = createRunBudget({ ...DEFAULT_LIMITS, ...options.limits }, start);
  return {
    id: options.runId ?? resumed?.checkpoint.runId ?? crypto.randomUUID(),
    prepared,
    deps,
    options,
    evaluator: prepared.evaluator.within(budget.evaluations),
    resumed,
    seed: resumed?.checkpoint.seed ?? options.seed ?? newSeed(),
    startedAt: resumed?.checkpoint.startedAt ?? deps.clock.now(),
    start,
    log,
    known: createKnownSecrets(prepared.secretForms, {
      references: resumed?.references,
      onNew: log.markStale,
    }),
    budget,
  };
}

async function runEntry(
  run: Run,
  inputs: Record<string, unknown>,
): Promise<{ status: RunStatus; outputs?: WorkflowOutcome["outputs"] }> {
  try {
    return await runWorkflow(run, { key: run.prepared.artifact.program.entry, inputs, depth: 0 });
  } catch (error) {
    if (!(error instanceof RunAborted)) throw error;
    run.log.abort({ code: error.code, message: error.message });
    return { status: error.code === "internal" ? "error" : "aborted" };
  }
}

function finalStatus(run: Pick<Run, "log" | "options">, status: RunStatus): RunStatus {
  if (status === "aborted") return "aborted";
  if (status !== "passed") return run.log.error === undefined ? "failed" : "error";
  // If no step ran, nothing is proven.
  if (!run.log.results.some((step) => step.phase === "main" && step.status !== "skipped")) return "failed";
  return run.options.strictContract === true && run.log.contract.failures > 0 ? "failed" : "passed";
}

function teardownStatus({ teardowns }: RunLog): JourneyResult["teardown"]["status"] {
  if (teardowns.length === 0) return "none";
  // An entry that had nothing to do is not a failure: nothing is left to clean up.
  return teardowns.includes("failed") ? "failed" : "passed";
}
