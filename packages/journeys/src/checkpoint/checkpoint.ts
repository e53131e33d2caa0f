import { z } from "zod";
import { RunError } from "../result/result-model.ts";
import type { StepResult } from "../result/result.ts";

const count = z.int().min(0);

/** Values by name. They are encoded where a checkpoint contains them. */
const Values = z.record(z.string(), z.unknown());

/** The result of the main phase. */
const MainOutcome = z.strictObject({
  status: z.enum(["passed", "failed", "error"]),
  reason: z.string().exactOptional(),
  outputs: Values,
  /** The limit or the cancellation that ended it. */
  aborted: z
    .strictObject({ code: z.enum(["limit", "cancelled", "internal"]), message: z.string() })
    .exactOptional(),
});

export type MainOutcome = z.infer<typeof MainOutcome>;

/** Where the outermost workflow continues. */
const Place = z.discriminatedUnion("at", [
  z.strictObject({ at: z.literal("step"), index: count }),
  /** An action of the last step transfers control to another workflow. */
  z.strictObject({
    at: z.literal("transfer"),
    step: z.string(),
    after: z.enum(["onSuccess", "onFailure"]),
    action: z.string(),
  }),
  /** The last step has ended. */
  z.strictObject({
    at: z.literal("end"),
    status: z.enum(["passed", "failed", "error"]),
    reason: z.string().exactOptional(),
  }),
  /** Index of the next entry of the teardown. */
  z.strictObject({ at: z.literal("teardown"), next: count, main: MainOutcome }),
]);
export type Place = z.infer<typeof Place>;

const WorkflowValues = z.strictObject({ inputs: Values, outputs: Values });

/** Models only the fields that are read: this program wrote the result as JSON, and others may have stored it. */
const KnownStepResult = z.looseObject({
  id: z.string(),
  phase: z.enum(["main", "teardown"]),
  status: z.enum(["passed", "failed", "error", "skipped", "timedOut"]),
  workflow: z.string().exactOptional(),
  attempts: z.array(z.looseObject({})),
  assertions: z.array(
    z.looseObject({ id: z.string(), status: z.enum(["passed", "failed", "error", "notRun"]) }),
  ),
});

/**
 * The state of a run after a step of the outermost workflow: what another process needs to continue it. It contains the values
 * that steps obtained, including tokens, and what functions made of secrets, so store it encrypted. It contains no secret that the
 * journey refers to, and no hidden input.
 */
export const Checkpoint = z.strictObject({
  checkpoint: z.literal("journey-checkpoint/1"),
  /** Id of the artifact: a checkpoint belongs to one program. */
  artifact: z.string(),
  runId: z.string(),
  seed: z.string(),
  /** Milliseconds since 1970. */
  startedAt: z.number(),
  /** The time that the run has taken so far. */
  elapsedMs: z.number().min(0),
  place: Place,
  /** Encoded by `encodeRecord`, as all values below. */
  inputs: Values,
  vars: Values,
  /** Outputs by step. */
  stepOutputs: z.record(z.string(), Values),
  workflows: z.record(z.string(), WorkflowValues),
  ended: z.record(z.string(), z.strictObject({ at: count, passed: z.boolean(), completed: z.boolean() })),
  started: z.array(z.string()),
  completed: z.array(z.string()),
  counters: z.strictObject({ steps: count, requests: count, workflows: count }),
  /** The sizes of the outputs that are kept, by their owner. */
  outputSizes: z.record(z.string(), count),
  coverage: z.array(
    z.strictObject({ operation: z.string(), calls: count, statuses: z.array(count), asserted: z.boolean() }),
  ),
  external: z.array(z.strictObject({ method: z.string(), url: z.string(), calls: count })),
  teardowns: z.array(z.enum(["passed", "failed", "skipped"])),
  contract: z.strictObject({ checks: count, failures: count }),
  error: RunError.exactOptional(),
  /** Further values to mask: those that steps obtained. */
  derivedSecrets: z.array(z.unknown()),
  /** The values that functions made of the secrets that the run is given. */
  madeSecrets: z.array(z.strictObject({ of: z.unknown(), made: z.array(z.unknown()) })).exactOptional(),
  /** The last request and response, where the rest of the journey refers to them. */
  exchange: Values.exactOptional(),
  /** Results so far. They can be stored separately and put back. */
  steps: z.array(z.custom<StepResult>((value) => KnownStepResult.safeParse(value).success)),
});
export type Checkpoint = z.infer<typeof Checkpoint>;
