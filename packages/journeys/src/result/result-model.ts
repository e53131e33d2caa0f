import { z } from "zod";
import { EARLIER_EXCHANGES_MAX } from "./limits.ts";

// The model of a run's result. Whoever only makes or reads results imports its types from result.ts, which does not load zod.

const optionalText = z.string().exactOptional();
const count = z.int().min(0);
const duration = z.number().min(0);
const values = z.record(z.string(), z.unknown());

export const RunStatus = z.enum(["passed", "failed", "error", "aborted"]);

const RunErrorCode = z.enum([
  "missing-input",
  "invalid-input",
  "missing-secret",
  "unreachable",
  "forbidden",
  "no-server",
  "limit",
  "cancelled",
  "runner-lost",
  "queue-expired",
  "request",
  "internal",
]);
export type RunErrorCode = z.infer<typeof RunErrorCode>;

export const RunError = z.strictObject({ code: RunErrorCode, message: z.string(), step: optionalText });
export type RunError = z.infer<typeof RunError>;

const StepStatus = z.enum(["passed", "failed", "error", "skipped", "timedOut"]);
export type StepStatus = z.infer<typeof StepStatus>;

const OperationReference = z.strictObject({
  source: z.string(),
  operationId: optionalText,
  method: z.string(),
  path: z.string(),
});
export type OperationReference = z.infer<typeof OperationReference>;

const SourcePlace = z.strictObject({
  file: z.string(),
  line: count,
  /** `base` or the id of the overlay that wrote it. */
  from: z.string(),
});
export type SourcePlace = z.infer<typeof SourcePlace>;

const AttemptResult = z.strictObject({
  n: z.int().min(1),
  ms: duration,
  outcome: z.enum(["passed", "failed", "error", "timedOut", "retry", "poll"]),
  startedAt: optionalText,
  /** The action that asked for another attempt, or what went wrong. */
  because: optionalText,
});
export type AttemptResult = z.infer<typeof AttemptResult>;

const AssertionResult = z.strictObject({
  id: z.string(),
  type: z.enum(["simple", "regex", "jsonpath", "xpath"]),
  condition: z.string(),
  /** An error if a limit ended the evaluation. */
  status: z.enum(["passed", "failed", "error", "notRun"]),
  actual: z.unknown().optional(),
  expected: z.unknown().optional(),
  /** A sentence, if it did not pass. */
  explanation: optionalText,
  source: SourcePlace,
});
export type AssertionResult = z.infer<typeof AssertionResult>;

const ContractResult = z.strictObject({
  check: z.enum(["status-documented", "content-type-documented", "response-schema"]),
  status: z.enum(["passed", "failed", "skipped"]),
  /** Into the response body. */
  pointer: optionalText,
  message: optionalText,
});
export type ContractResult = z.infer<typeof ContractResult>;

const headers = z.array(z.tuple([z.string(), z.string()]));

const exchange = {
  request: z.strictObject({
    method: z.string(),
    url: z.string(),
    headers,
    body: optionalText,
    bodyBytes: count,
  }),
  response: z
    .strictObject({
      status: z.int(),
      statusText: optionalText,
      httpVersion: optionalText,
      headers,
      body: optionalText,
      bodyBytes: count,
      ms: duration,
    })
    .exactOptional(),
  truncated: z.boolean(),
  redactions: count,
};

const EarlierExchange = z.strictObject({ ...exchange, attempt: z.int().min(1) });
/** The exchange of an attempt before the last one. */
export type EarlierExchange = z.infer<typeof EarlierExchange>;

const Evidence = z.strictObject({
  ...exchange,
  /** The exchanges of the attempts before the last one, in order. Of many, some in the middle are left out. */
  earlier: z.array(EarlierExchange).max(EARLIER_EXCHANGES_MAX).exactOptional(),
});
/** The request and the response of a step's last attempt, and those of earlier ones. */
export type Evidence = z.infer<typeof Evidence>;
/** A request with its response, if one arrived. */
export type Exchange = Omit<Evidence, "earlier">;

const StepResult = z.strictObject({
  id: z.string(),
  phase: z.enum(["main", "teardown"]),
  status: StepStatus,
  /** The id of the step's workflow, if it is not the workflow that was run. */
  workflow: optionalText,
  /** Why it was skipped, could not run, or failed apart from its assertions. */
  reason: optionalText,
  /** Sentences for the reader, such as about a redirect that was followed without its credentials. */
  notes: z.array(z.string()).exactOptional(),
  /** True if it failed and one of its actions handled the failure. */
  handled: z.boolean().exactOptional(),
  operation: OperationReference.exactOptional(),
  /** A call that no source describes. */
  external: z.strictObject({ method: z.string(), url: z.string() }).exactOptional(),
  /** The workflow it called. */
  calls: optionalText,
  startedAt: optionalText,
  ms: duration,
  attempts: z.array(AttemptResult),
  assertions: z.array(AssertionResult),
  contract: z.array(ContractResult),
  outputs: values,
  evidence: Evidence.exactOptional(),
  source: SourcePlace.exactOptional(),
});
export type StepResult = z.infer<typeof StepResult>;

const AcceptanceResult = z.strictObject({
  id: z.string(),
  text: z.string(),
  severity: z.string(),
  status: z.enum(["proven", "failed", "notRun", "unproven"]),
  /** As `stepId#criterionId`. */
  by: z.array(z.string()),
});
export type AcceptanceResult = z.infer<typeof AcceptanceResult>;

const Coverage = z.strictObject({
  operations: z.array(
    z.strictObject({
      ...OperationReference.shape,
      calls: count,
      statuses: z.array(z.int()),
      asserted: z.boolean(),
    }),
  ),
  notInInventory: z.array(z.strictObject({ method: z.string(), url: z.string(), calls: count })),
});
export type Coverage = z.infer<typeof Coverage>;

/** The one document of a run; every report is made from it. Secrets are already redacted in all of it. */
export const JourneyResult = z.strictObject({
  schema: z.literal("journey-result/1"),
  runId: z.string(),
  /** Id of the artifact that ran. */
  artifact: z.string(),
  /** `sha256:<hex>` over the bytes of the artifact's file. */
  artifactFile: optionalText,
  /** A run with the same seed generates the same variables and boundaries. */
  seed: z.string(),
  status: RunStatus,
  /** Why the run could not be completed; absent if it passed or its assertions failed. */
  error: RunError.exactOptional(),
  journey: z.strictObject({
    id: z.string(),
    title: z.string(),
    version: z.string(),
    overlays: z.array(z.string()),
  }),
  where: z.strictObject({ runner: z.enum(["cli", "cloud"]), environment: optionalText }),
  startedAt: z.iso.datetime(),
  ms: duration,
  inputs: values,
  steps: z.array(StepResult),
  acceptance: z.array(AcceptanceResult),
  coverage: Coverage,
  outputs: values,
  teardown: z.strictObject({ status: z.enum(["passed", "failed", "none"]) }),
  contract: z.strictObject({
    status: z.enum(["passed", "failed", "none"]),
    strict: z.boolean(),
    failures: count,
  }),
});
export type JourneyResult = z.infer<typeof JourneyResult>;
export type RunStatus = z.infer<typeof RunStatus>;
