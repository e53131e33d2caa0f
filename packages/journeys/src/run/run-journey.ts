import { acceptanceResults } from "../result/acceptance.ts";
import { isoTime } from "../result/iso-time.ts";
import type { JourneyResult, RunError, RunStatus } from "../result/result.ts";
import { cleanResults } from "./clean-results.ts";
import { learnLiterals, learnValues } from "../secrets/learn.ts";
import { createRedactor } from "../secrets/redact.ts";
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
 * Runs a journey once. Whatever the journey, its target or its limits do ends in a result; it throws only for a fault of
 * this program or of a dependency that broke its contract.
 */
export async function runJourney(
  prepared: PreparedJourney,
  deps: RunDependencies,
  options: RunOptions = {},
): Promise<JourneyResult> {
  const startedAt = deps.clock.now();
  const start = deps.clock.monotonic();
  const { program } = prepared.artifact;
  const entry = program.workflows[program.entry];
  if (entry === undefined) throw new Error(`the program has no workflow "${program.entry}"`);
  const inputs = await resolveInputs(entry, options.inputs ?? {}, {
    resolveSecret: deps.resolveSecret,
    schemas: prepared.schemas,
  });
  const run = openRun(prepared, deps, options);
  run.addSecrets(inputs.secrets);
  learnLiterals(run);
  learnValues(run, { kind: "input", workflow: program.entry }, inputs.values);
  if (inputs.problem !== undefined) run.error = inputs.problem;
  const ended = run.error === undefined ? await runEntry(run, inputs.values) : { status: "error" as const };
  const status = finalStatus(run, ended.status);
  cleanStaleResults(run);
  return {
    schema: "journey-result/1",
    runId: options.runId ?? crypto.randomUUID(),
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
    startedAt: isoTime(startedAt),
    ms: deps.clock.monotonic() - start,
    inputs: shownRecord(run, inputs.shown),
    steps: run.results,
    acceptance: acceptanceResults(entry.acceptance, run.results),
    coverage: coverageOf(run),
    outputs: shownRecord(run, "outputs" in ended ? (ended.outputs ?? {}) : {}),
    teardown: { status: teardownStatus(run) },
    contract: contractOf(run),
  };
}

/** What was recorded before a secret was known is cleaned of it. */
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

function openRun(prepared: PreparedJourney, deps: RunDependencies, options: RunOptions): Run {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const run: Run = {
    prepared,
    deps,
    options,
    limits,
    redactor: createRedactor(),
    addSecrets: (secrets) => {
      for (const secret of secrets) if (run.redactor.add(secret)) run.staleResults = run.results.length;
    },
    staleResults: 0,
    results: [],
    seed: options.seed ?? newSeed(),
    counters: { steps: 0, requests: 0, workflows: 0 },
    deadline: deps.clock.monotonic() + limits.runMs,
    phase: "main",
    workflows: new Map(),
    completed: new Set(),
    coverage: new Map(),
    external: new Map(),
    teardowns: [],
    contractFailures: 0,
    contractChecks: 0,
    error: undefined,
  };
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
    return { status: "aborted" };
  }
}

function finalStatus(run: Run, status: RunStatus): RunStatus {
  if (status === "aborted") return "aborted";
  if (status !== "passed") return run.error === undefined ? "failed" : "error";
  // Without a step that ran nothing is proven.
  if (!run.results.some((step) => step.phase === "main" && step.status !== "skipped")) return "failed";
  return run.options.strictContract === true && run.contractFailures > 0 ? "failed" : "passed";
}

function teardownStatus(run: Run): JourneyResult["teardown"]["status"] {
  if (run.teardowns.length === 0) return "none";
  // An entry that had nothing to do is no failure: the place is as clean as it was to be.
  return run.teardowns.includes("failed") ? "failed" : "passed";
}
