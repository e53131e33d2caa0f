import type { Resumed } from "./resume.ts";
import { acceptanceResults } from "../result/acceptance.ts";
import { isoTime } from "../result/iso-time.ts";
import type { JourneyResult, RunError, RunStatus } from "../result/result.ts";
import { cleanResults } from "./clean-results.ts";
import { learnLiterals, learnValues } from "./learn-secrets.ts";
import { createRedactor } from "../secrets/redact.ts";
import { createShield, givenTexts } from "../secrets/shield.ts";
import { coverageOf } from "./coverage.ts";
import { resolveInputs } from "./inputs.ts";
import { DEFAULT_LIMITS, RunAborted } from "./limits.ts";
import type { PreparedJourney, Run, RunOptions } from "./state.ts";
import type { RunDependencies } from "./transport.ts";
import { newSeed } from "./random.ts";
import { cleanFields, shownRecord } from "./values.ts";
import { runWorkflow } from "./workflow.ts";
import type { WorkflowOutcome } from "./workflow.ts";

/**
 * Runs a journey once. Every behaviour of the journey, its target and its limits gives a result; it throws only for a bug of
 * this program or of a dependency.
 */
export async function runJourney(
  prepared: PreparedJourney,
  deps: RunDependencies,
  options: RunOptions = {},
): Promise<JourneyResult> {
  const { program } = prepared.artifact;
  const entry = program.workflows[program.entry];
  if (entry === undefined) throw new Error(`the program has no workflow "${program.entry}"`);
  const resumed = await openResume(prepared, deps, options);
  const run = openRun(prepared, deps, options, resumed);
  const given = resumed?.inputs ?? options.inputs ?? {};
  const inputs = await resolveInputs(entry, given, { ...inputsOf(run), isEntry: true });
  run.addSecrets(inputs.secrets);
  learnLiterals(run);
  learnValues(run, { kind: "input", workflow: program.entry }, inputs.values);
  for (const [ref, value] of inputs.references) run.references.set(ref, value);
  if (inputs.problem !== undefined) run.error = inputs.problem;
  const ended = run.error === undefined ? await runEntry(run, inputs.values) : { status: "error" as const };
  const status = finalStatus(run, ended.status);
  cleanStaleResults(run);
  return {
    schema: "journey-result/1",
    runId: run.id,
    artifact: prepared.artifact.id,
    ...(prepared.fileDigest === undefined ? {} : { artifactFile: prepared.fileDigest }),
    seed: run.seed,
    status,
    ...(run.error === undefined || status === "passed"
      ? {}
      : { error: cleanFields(run, run.error, ["message"]) }),
    journey: { ...program.journey, overlays: prepared.artifact.provenance.overlays.map(({ id }) => id) },
    where: {
      runner: options.runner ?? "cli",
      ...(program.environment === undefined ? {} : { environment: program.environment }),
    },
    startedAt: isoTime(run.startedAt),
    ms: deps.clock.monotonic() - run.start,
    inputs: shownRecord(run, inputs.shown),
    steps: run.results,
    acceptance: acceptanceResults(entry.acceptance, run.results),
    coverage: coverageOf(run),
    outputs: shownRecord(run, "outputs" in ended ? (ended.outputs ?? {}) : {}),
    teardown: { status: teardownStatus(run) },
    contract: contractOf(run),
  };
}

function inputsOf({ deps, prepared, evaluator, shield }: Run) {
  return { resolveSecret: deps.resolveSecret, schemas: prepared.schemas, evaluator, shield };
}

/** Removes secrets from what was recorded before they were known. */
function cleanStaleResults(run: Run): void {
  const stale = run.results.slice(0, run.staleResults);
  run.results.splice(0, stale.length, ...cleanResults(run, stale));
}

function contractOf(run: Run): JourneyResult["contract"] {
  return {
    status: run.contractFailures > 0 ? "failed" : run.contractChecks > 0 ? "passed" : "none",
    strict: run.options.strictContract === true,
    failures: run.contractFailures,
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
): Run {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const start = deps.clock.monotonic() - (resumed?.checkpoint.elapsedMs ?? 0);
  const evaluations = { leftMs: limits.evaluationMs, givenMs: limits.evaluationMs };
  const run: Run = {
    id: options.runId ?? resumed?.checkpoint.runId ?? crypto.randomUUID(),
    prepared,
    deps,
    options,
    limits,
    evaluator: prepared.evaluator.within(evaluations),
    evaluations,
    redactor: createRedactor([], prepared.secretForms),
    shield: createShield(prepared.secretForms),
    addSecrets: (secrets) => {
      for (const secret of secrets) {
        run.secrets.add(secret);
        if (run.redactor.add(secret)) run.staleResults = run.results.length;
      }
    },
    staleResults: 0,
    secrets: new Set(),
    references: new Map(resumed?.references),
    resumed,
    results: [],
    seed: resumed?.checkpoint.seed ?? options.seed ?? newSeed(),
    counters: { steps: 0, requests: 0, workflows: 0 },
    startedAt: resumed?.checkpoint.startedAt ?? deps.clock.now(),
    start,
    deadline: start + limits.runMs,
    phase: "main",
    workflows: new Map(),
    outputSizes: { total: 0, of: new Map() },
    completed: new Set(),
    coverage: new Map(),
    external: new Map(),
    teardowns: [],
    contractFailures: 0,
    contractChecks: 0,
    error: undefined,
  };
  // Also those of workflows that the run has called before it was interrupted.
  run.shield.add([...run.references.values()].flatMap(givenTexts));
  return run;
}

async function runEntry(
  run: Run,
  inputs: Record<string, unknown>,
): Promise<{ status: RunStatus; outputs?: WorkflowOutcome["outputs"] }> {
  try {
    return await runWorkflow(run, { key: run.prepared.artifact.program.entry, inputs, depth: 0 });
  } catch (error) {
    if (!(error instanceof RunAborted)) throw error;
    run.error = { code: error.code, message: error.message } satisfies RunError;
    return { status: error.code === "internal" ? "error" : "aborted" };
  }
}

function finalStatus(run: Run, status: RunStatus): RunStatus {
  if (status === "aborted") return "aborted";
  if (status !== "passed") return run.error === undefined ? "failed" : "error";
  // If no step ran, nothing is proven.
  if (!run.results.some((step) => step.phase === "main" && step.status !== "skipped")) return "failed";
  return run.options.strictContract === true && run.contractFailures > 0 ? "failed" : "passed";
}

function teardownStatus(run: Run): JourneyResult["teardown"]["status"] {
  if (run.teardowns.length === 0) return "none";
  // An entry that had nothing to do is not a failure: nothing is left to clean up.
  return run.teardowns.includes("failed") ? "failed" : "passed";
}
