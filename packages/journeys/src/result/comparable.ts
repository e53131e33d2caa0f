import { digest, pureSha256 } from "../compile/artifact.ts";
import type { Sha256 } from "../compile/artifact.ts";
import { exchangesOf } from "./exchanges.ts";
import type { Exchange, JourneyResult, SourcePlace, StepResult } from "./result.ts";

/**
 * The part of a result that is equal for two runs with the same responses: without ids, seed, times, durations, the runner and
 * the folders of files. Equal ones have the same canonical JSON.
 */
export function comparable(result: JourneyResult): Record<string, unknown> {
  const { runId: _, seed: _seed, startedAt: _start, ms: _ms, artifactFile: _file, where, ...rest } = result;
  const { runner: _runner, ...place } = where;
  return { ...rest, where: place, steps: result.steps.map(comparableStep) };
}

function comparableStep(step: StepResult): Record<string, unknown> {
  const { startedAt: _, ms: _ms, attempts, assertions, source, evidence, ...rest } = step;
  return {
    ...rest,
    attempts: attempts.map(({ ms: _duration, startedAt: _at, ...attempt }) => attempt),
    assertions: assertions.map(({ source: at, ...assertion }) => ({ ...assertion, source: placeInText(at) })),
    ...(source === undefined ? {} : { source: placeInText(source) }),
    ...(evidence === undefined ? {} : { evidence: exchangesOf(evidence).map(comparableExchange) }),
  };
}

function placeInText({ line, from }: SourcePlace): Omit<SourcePlace, "file"> {
  return { line, from };
}

function comparableExchange({ response, ...rest }: Exchange): Record<string, unknown> {
  if (response === undefined) return rest;
  const { ms: _, headers, ...answer } = response;
  return {
    ...rest,
    response: { ...answer, headers: headers.filter(([name]) => name.toLowerCase() !== "date") },
  };
}

/**
 * `sha256:<hex>` over how a run went: the statuses of its steps, attempts, assertions, contract checks, acceptance criteria,
 * operations and teardown, and no value. Two runs of one program that differ in it went differently.
 */
export function outcomeDigest(result: JourneyResult, hash: Sha256 = pureSha256): string {
  const { status, error, steps, acceptance, coverage, teardown, contract } = result;
  const outcome = {
    status,
    error: error?.code,
    steps: steps.map(outcomeOfStep),
    acceptance: acceptance.map(({ id, status: verdict }) => [id, verdict]),
    // How often an operation was called depends on how long a poll took.
    operations: coverage.operations.map(({ source, method, path, statuses, asserted }) => [
      source,
      method,
      path,
      statuses,
      asserted,
    ]),
    teardown: teardown.status,
    contract: contract.status,
  };
  return digest(outcome, hash);
}

function outcomeOfStep(step: StepResult): unknown[] {
  const { id, workflow, phase, status, handled, attempts, assertions, contract } = step;
  const outcomes = attempts.map(({ outcome }) => outcome);
  return [
    [workflow, id, phase, status, handled],
    outcomes.filter((outcome, index) => outcome !== "poll" || outcomes[index - 1] !== "poll"),
    assertions.map((assertion) => [assertion.id, assertion.status]),
    [...new Set(contract.map((check) => `${check.check} ${check.status}`))],
  ];
}
