import type { JourneyResult } from "./result-model.ts";

export type {
  AcceptanceResult,
  AssertionResult,
  AttemptResult,
  ContractResult,
  Coverage,
  EarlierExchange,
  Evidence,
  Exchange,
  JourneyResult,
  OperationReference,
  RunError,
  RunErrorCode,
  RunStatus,
  SourcePlace,
  StepResult,
  StepStatus,
} from "./result-model.ts";

/** The exit code: it distinguishes a failed journey from a broken tool. */
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
