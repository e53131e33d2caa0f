import type { KnownSecrets } from "./known-secrets.ts";
import { isHidden } from "./inputs.ts";
import type { Run, WorkflowRun } from "./state.ts";
import type { Checkpoint, Place } from "../checkpoint/checkpoint.ts";
import { exchangeOf } from "./exchange.ts";
import { secretTexts } from "../checkpoint/secret-texts.ts";
import { encodeRecord, encodeValue } from "../checkpoint/values.ts";
import type { SecretOrigin } from "../checkpoint/values.ts";

/** Thrown by a run that another process will continue from its checkpoint. Nothing is torn down. */
export class RunLeft extends Error {
  constructor() {
    super("The run was left at a checkpoint.");
  }
}

/**
 * Passes the run's state to `onCheckpoint` after a step of the outermost workflow.
 *
 * @throws RunLeft when the answer is to leave the run
 */
export async function leaveCheckpoint(run: Run, workflow: WorkflowRun, place: Place): Promise<void> {
  const { onCheckpoint } = run.options;
  if (onCheckpoint === undefined || workflow.depth > 0) return;
  if ((await onCheckpoint(takeCheckpoint(run, workflow, place))) === "leave") throw new RunLeft();
}

function takeCheckpoint(run: Run, workflow: WorkflowRun, place: Place): Checkpoint {
  const secrets = originsOf(run.known, workflow);
  const encode = (values: Readonly<Record<string, unknown>>) => encodeRecord(values, secrets);
  const exchange = exchangeOf(workflow);
  return {
    checkpoint: "journey-checkpoint/1",
    artifact: run.prepared.artifact.id,
    runId: run.id,
    seed: run.seed,
    startedAt: run.startedAt,
    elapsedMs: run.deps.clock.monotonic() - run.start,
    place:
      place.at === "teardown"
        ? { ...place, main: { ...place.main, outputs: encode(place.main.outputs) } }
        : place,
    inputs: encode(openInputs(workflow)),
    vars: encode(workflow.scope.vars),
    stepOutputs: mapped(workflow.stepOutputs, ({ outputs }) => encode(outputs)),
    workflows: mapped(run.log.workflows, ({ inputs, outputs }) => ({
      inputs: encode(inputs),
      outputs: encode(outputs),
    })),
    ended: Object.fromEntries(workflow.ended),
    started: [...workflow.started],
    completed: [...run.log.completed],
    counters: { ...run.budget.counters },
    outputSizes: Object.fromEntries(run.budget.outputSizes),
    coverage: [...run.log.coverage].map(([operation, { calls, statuses, asserted }]) => ({
      operation,
      calls,
      statuses: [...statuses],
      asserted,
    })),
    external: [...run.log.external.values()].map((call) => ({ ...call })),
    teardowns: [...run.log.teardowns],
    contract: { ...run.log.contract },
    ...(run.log.error === undefined ? {} : { error: run.log.error }),
    derivedSecrets: [...run.known.texts]
      .filter((text) => !secrets.has(text) && !holdsEncoded(text, secrets))
      .map((text) => encodeValue(text, secrets)),
    ...madeSecrets(run.known, secrets),
    ...(exchange === undefined ? {} : { exchange: encode(exchange) }),
    steps: [...run.log.results],
  };
}

function madeSecrets(
  { shield }: KnownSecrets,
  secrets: ReadonlyMap<string, SecretOrigin>,
): Pick<Checkpoint, "madeSecrets"> {
  const all = shield.sources.all();
  if (all.length === 0) return {};
  const encode = (text: string) => encodeValue(text, secrets);
  return { madeSecrets: all.map(([of, made]) => ({ of: encode(of), made: made.map(encode) })) };
}

/** The inputs that are neither secret nor hidden. */
function openInputs({ program, scope }: WorkflowRun): Record<string, unknown> {
  const secret = new Set(program.secrets.map(({ input }) => input));
  return Object.fromEntries(
    Object.entries(scope.inputs).filter(([name]) => !secret.has(name) && !isHidden(program, name)),
  );
}

/** How to find each secret again, by its text. */
function originsOf(known: KnownSecrets, { program, scope }: WorkflowRun): Map<string, SecretOrigin> {
  const origins = new Map<string, SecretOrigin>();
  for (const name of Object.keys(scope.inputs)) {
    if (!isHidden(program, name) && !program.secrets.some(({ input }) => input === name)) continue;
    for (const { text, path } of secretTexts(scope.inputs[name])) origins.set(text, { input: name, path });
  }
  for (const [ref, value] of known.references) origins.set(value, { ref });
  origins.delete("");
  return origins;
}

/** Whether a text is a credential such as `Basic dXNlcjpwYXNz`, which the request that sends it makes again. */
function holdsEncoded(text: string, secrets: ReadonlyMap<string, SecretOrigin>): boolean {
  try {
    const plain = atob(text.replace(/^\S+\s+/, ""));
    return [...secrets.keys()].some((secret) => plain.includes(secret));
  } catch {
    return false;
  }
}

function mapped<T, U>(map: ReadonlyMap<string, T>, encode: (value: T) => U): Record<string, U> {
  return Object.fromEntries([...map].map(([key, value]) => [key, encode(value)]));
}
