import { isObject } from "@waymark/openapi/json.ts";
import type { Artifact } from "../compile/artifact-model.ts";
import type { ProgramWorkflow } from "../program/program.ts";
import type { Run, WorkflowRun } from "./state.ts";
import type { RunDependencies } from "./transport.ts";
import { Checkpoint } from "../checkpoint/checkpoint.ts";
import type { Place } from "../checkpoint/checkpoint.ts";
import { CheckpointError } from "../checkpoint/checkpoint-error.ts";
import { restoreExchange } from "./exchange.ts";
import { secretTexts } from "../checkpoint/secret-texts.ts";
import { decodeValue, ValueError } from "../checkpoint/values.ts";
import type { SecretOrigin } from "../checkpoint/values.ts";

function openCheckpoint(value: unknown, artifact: Artifact): Checkpoint {
  const read = Checkpoint.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new CheckpointError(
      `This is no checkpoint (${(issue?.path ?? []).join("/")}: ${issue?.message ?? ""}).`,
    );
  }
  const checkpoint = read.data;
  if (checkpoint.artifact !== artifact.id) {
    throw new CheckpointError(`The checkpoint belongs to ${checkpoint.artifact}, not to ${artifact.id}.`);
  }
  if (!isPlaceOf(entryOf(artifact), checkpoint.place))
    throw new CheckpointError("The checkpoint goes on at a place that the journey does not have.");
  return checkpoint;
}

function entryOf({ program }: Artifact): ProgramWorkflow {
  const entry = program.workflows[program.entry];
  if (entry === undefined) throw new Error(`the program has no workflow "${program.entry}"`);
  return entry;
}

function isPlaceOf({ steps, teardown }: ProgramWorkflow, place: Place): boolean {
  switch (place.at) {
    case "step":
      return place.index < steps.length;
    case "transfer": {
      const step = steps.find(({ id }) => id === place.step);
      const action = step?.[place.after].find(({ name }) => name === place.action);
      return action?.workflow !== undefined;
    }
    case "teardown":
      return place.next <= teardown.length;
    default:
      return true;
  }
}

/** A run that continues from a checkpoint. */
export interface Resumed {
  checkpoint: Checkpoint;
  only: "teardown" | undefined;
  /** Those of the run, secrets as they are now. */
  inputs: Record<string, unknown>;
  references: ReadonlyMap<string, string>;
  /** Restores the state. Returns where the outermost workflow continues. */
  restore: (run: Run, workflow: WorkflowRun) => Place;
}

/**
 * Reads a checkpoint and resolves the secrets that it does not contain.
 *
 * @param given hidden inputs must be given as they were given to the run itself
 * @throws CheckpointError
 */
export async function resumeFrom(
  artifact: Artifact,
  given: {
    checkpoint: unknown;
    only?: "teardown";
    inputs?: Readonly<Record<string, unknown>>;
    resolveSecret: RunDependencies["resolveSecret"];
  },
): Promise<Resumed> {
  const checkpoint = openCheckpoint(given.checkpoint, artifact);
  const { secrets } = entryOf(artifact);
  const references = new Map<string, string>();
  for (const ref of [...secrets.map((secret) => secret.ref), ...referencesIn(checkpoint)]) {
    const value = references.get(ref) ?? (await given.resolveSecret(ref));
    if (value !== undefined) references.set(ref, value);
  }
  const found = secrets.flatMap(({ input, ref }) =>
    references.has(ref) ? [[input, references.get(ref)] as const] : [],
  );
  const hidden = { ...Object.fromEntries(found), ...given.inputs };
  const secretOf = secretSource({ references, inputs: hidden });
  return {
    checkpoint,
    only: given.only,
    inputs: { ...hidden, ...decodeRecord(checkpoint.inputs, secretOf) },
    references,
    restore: (run, workflow) => {
      restoreRun(run, checkpoint, secretOf);
      return restoreWorkflow(workflow, checkpoint, secretOf);
    },
  };
}

/** The references whose values a checkpoint needs. */
function referencesIn(checkpoint: Checkpoint): string[] {
  const refs = new Set<string>();
  const collect = (value: unknown): void => {
    decode(value, (origin) => {
      if ("ref" in origin) refs.add(origin.ref);
      return "";
    });
  };
  valuesIn(checkpoint).forEach(collect);
  return [...refs];
}

function valuesIn(checkpoint: Checkpoint): unknown[] {
  const { place, inputs, vars, stepOutputs, workflows, exchange } = checkpoint;
  const main = place.at === "teardown" ? place.main.outputs : undefined;
  const called = Object.values(workflows).flatMap((values) => [values.inputs, values.outputs]);
  return [
    inputs,
    vars,
    exchange,
    main,
    ...checkpoint.derivedSecrets,
    ...Object.values(stepOutputs),
    ...called,
  ];
}

/** Restores the state that all workflows share. */
function restoreRun(
  run: Pick<Run, "budget" | "known" | "log">,
  checkpoint: Checkpoint,
  secretOf: (origin: SecretOrigin) => string,
): void {
  run.budget.restore(checkpoint);
  run.log.restore({
    results: checkpoint.steps,
    completed: checkpoint.completed,
    workflows: Object.entries(checkpoint.workflows).map(([key, { inputs, outputs }]) => [
      key,
      { inputs: decodeRecord(inputs, secretOf), outputs: decodeRecord(outputs, secretOf) },
    ]),
    coverage: checkpoint.coverage.map(({ operation, statuses, ...call }) => [
      operation,
      { ...call, statuses: new Set(statuses) },
    ]),
    external: checkpoint.external,
    teardowns: checkpoint.teardowns,
    contract: checkpoint.contract,
    error: checkpoint.error,
  });
  const textOf = (text: unknown) => String(decode(text, secretOf));
  run.known.add(checkpoint.derivedSecrets.map(textOf));
  for (const { of, made } of checkpoint.madeSecrets ?? [])
    run.known.shield.restoreMade(textOf(of), made.map(textOf));
}

/** Restores the state of the outermost workflow. Returns where it continues. */
function restoreWorkflow(
  workflow: WorkflowRun,
  checkpoint: Checkpoint,
  secretOf: (origin: SecretOrigin) => string,
): Place {
  const { place, stepOutputs, exchange } = checkpoint;
  workflow.scope.vars = decodeRecord(checkpoint.vars, secretOf);
  for (const [step, outputs] of Object.entries(stepOutputs))
    workflow.stepOutputs.set(step, { outputs: decodeRecord(outputs, secretOf) });
  for (const [step, ended] of Object.entries(checkpoint.ended)) workflow.ended.set(step, { ...ended });
  for (const step of checkpoint.started) workflow.started.add(step);
  if (exchange !== undefined) restoreExchange(workflow, decodeRecord(exchange, secretOf));
  if (place.at !== "teardown") return place;
  return { ...place, main: { ...place.main, outputs: decodeRecord(place.main.outputs, secretOf) } };
}

/** A text of a secret that was resolved again. @throws CheckpointError if the secret no longer contains it */
function secretSource(known: {
  references: ReadonlyMap<string, string>;
  inputs: Readonly<Record<string, unknown>>;
}): (origin: SecretOrigin) => string {
  return (origin) => {
    const text =
      "ref" in origin
        ? known.references.get(origin.ref)
        : secretTexts(known.inputs[origin.input]).find(
            ({ path }) => path.join("\0") === origin.path.join("\0"),
          )?.text;
    if (text === undefined) {
      const name = "ref" in origin ? origin.ref : `input "${origin.input}"`;
      throw new CheckpointError(`The checkpoint needs the secret ${name}, which has no value now.`);
    }
    return text;
  };
}

function decodeRecord(
  value: Readonly<Record<string, unknown>>,
  secretOf: (origin: SecretOrigin) => string,
): Record<string, unknown> {
  const decoded = decode(value, secretOf);
  if (isObject(decoded)) return decoded;
  throw new CheckpointError("This is no checkpoint: it has something else where there are named values.");
}

function decode(value: unknown, secretOf: (origin: SecretOrigin) => string): unknown {
  try {
    return decodeValue(value, secretOf);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new CheckpointError(`This is no checkpoint: ${error.message}.`);
  }
}
