import type { Problem } from "@waymark/journeys/document/problem.ts";
import type { DocumentProblem, Verdict } from "./messages.ts";
import { storable } from "../../lib/storable.ts";

const PROBLEMS_MAX = 100;
const MESSAGE_MAX = 1_000;
const NAME_MAX = 500;

export function verdictOf(problems: readonly Problem[], programId: string | null): Verdict {
  const errorCount = problems.filter(({ severity }) => severity === "error").length;
  // Errors first, so that those that are left out are warnings.
  const shown = problems.toSorted((a, b) => rank(a) - rank(b)).slice(0, PROBLEMS_MAX);
  return {
    problems: shown.map(storableProblem),
    errorCount,
    warningCount: problems.length - errorCount,
    programId,
  };
}

function rank({ severity }: Problem): number {
  return severity === "error" ? 0 : 1;
}

function storableProblem({ severity, code, message, pointer, file, line, column }: Problem): DocumentProblem {
  return {
    severity,
    code,
    message: storable(message, MESSAGE_MAX),
    pointer: storable(pointer, NAME_MAX),
    file: storable(file, NAME_MAX),
    line,
    column,
  };
}

/** A fault of a document as a whole. */
export function documentFault(file: string, code: string, message: string): Problem {
  return { severity: "error", code, message, pointer: "", file, line: 1, column: 1 };
}
