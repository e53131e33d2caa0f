/** The one document of a run; every report is made from it. Secrets are already redacted in all of it. */
export interface JourneyResult {
  schema: "journey-result/1";
  runId: string;
  /** Id of the artifact that ran. */
  artifact: string;
  /** `sha256:<hex>` over the bytes of the artifact's file. */
  artifactFile?: string;
  /** Given again, it makes the same generated variables and boundaries. */
  seed: string;
  status: RunStatus;
  /** Why the run could not be carried out; absent where it passed or its assertions failed. */
  error?: RunError;
  journey: { id: string; title: string; version: string; overlays: string[] };
  where: { runner: "cli" | "cloud"; environment?: string };
  startedAt: string;
  ms: number;
  inputs: Record<string, unknown>;
  steps: StepResult[];
  acceptance: AcceptanceResult[];
  coverage: Coverage;
  outputs: Record<string, unknown>;
  teardown: { status: "passed" | "failed" | "none" };
  contract: { status: "passed" | "failed" | "none"; strict: boolean; failures: number };
}

export type RunStatus = "passed" | "failed" | "error" | "aborted";

export type RunErrorCode =
  | "missing-input"
  | "invalid-input"
  | "missing-secret"
  | "unreachable"
  | "forbidden"
  | "no-server"
  | "limit"
  | "cancelled"
  | "runner-lost"
  | "request"
  | "internal";

export interface RunError {
  code: RunErrorCode;
  message: string;
  step?: string;
}

export type StepStatus = "passed" | "failed" | "error" | "skipped" | "timedOut";

export interface StepResult {
  id: string;
  phase: "main" | "teardown";
  status: StepStatus;
  /** Id of the workflow the step stands in, where it is not the one that was run. */
  workflow?: string;
  /** Why it was skipped, could not be carried out, or failed beyond its assertions. */
  reason?: string;
  /** What was done otherwise than asked for, such as a redirect that was followed without its credentials. */
  notes?: string[];
  /** True when it failed and an action of its own led on from there. */
  handled?: boolean;
  operation?: OperationReference;
  /** A call that no source describes. */
  external?: { method: string; url: string };
  /** The workflow it called. */
  calls?: string;
  startedAt?: string;
  ms: number;
  attempts: AttemptResult[];
  assertions: AssertionResult[];
  contract: ContractResult[];
  outputs: Record<string, unknown>;
  evidence?: Evidence;
  source?: SourcePlace;
}

export interface OperationReference {
  source: string;
  operationId?: string;
  method: string;
  path: string;
}

export interface AttemptResult {
  n: number;
  ms: number;
  outcome: "passed" | "failed" | "error" | "timedOut" | "retry" | "poll";
  /** The action that asked for another attempt, or what went wrong. */
  because?: string;
}

export interface AssertionResult {
  id: string;
  type: "simple" | "regex" | "jsonpath" | "xpath";
  condition: string;
  /** An error where a limit ended the evaluation. */
  status: "passed" | "failed" | "error" | "notRun";
  actual?: unknown;
  expected?: unknown;
  /** A sentence; only where it did not pass. */
  explanation?: string;
  source: SourcePlace;
}

export interface SourcePlace {
  file: string;
  line: number;
  /** `base` or the id of the overlay that wrote it. */
  from: string;
}

export interface ContractResult {
  check: "status-documented" | "content-type-documented" | "response-schema";
  status: "passed" | "failed" | "skipped";
  /** Into the response body. */
  pointer?: string;
  message?: string;
}

export interface Evidence {
  request: { method: string; url: string; headers: [string, string][]; body?: string; bodyBytes: number };
  response?: {
    status: number;
    statusText?: string;
    httpVersion?: string;
    headers: [string, string][];
    body?: string;
    bodyBytes: number;
    ms: number;
  };
  truncated: boolean;
  redactions: number;
}

export interface AcceptanceResult {
  id: string;
  text: string;
  severity: string;
  status: "proven" | "failed" | "notRun" | "unproven";
  /** As `stepId#criterionId`. */
  by: string[];
}

export interface Coverage {
  operations: (OperationReference & { calls: number; statuses: number[]; asserted: boolean })[];
  notInInventory: { method: string; url: string; calls: number }[];
}

/** What the command line exits with: a failed journey is told apart from a broken tool. */
export function exitCodeOf(result: Pick<JourneyResult, "status" | "error">): 0 | 1 | 2 | 3 | 4 | 5 {
  if (result.status === "passed") return 0;
  if (result.status === "failed") return 1;
  if (result.status === "aborted") return 5;
  switch (result.error?.code) {
    case "missing-input":
    case "invalid-input":
    case "missing-secret":
      return 3;
    case "unreachable":
    case "forbidden":
    case "no-server":
      return 4;
    default:
      return 1;
  }
}
