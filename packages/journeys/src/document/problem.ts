import type { Pointer } from "@waymark/openapi/pointer.ts";

export type Severity = "error" | "warning";

/** A place in a text file; line and column count from 1. */
export interface Position {
  file: string;
  line: number;
  column: number;
}

/** One fault of a document, with the place where a person can mend it. */
export interface Problem extends Position {
  severity: Severity;
  /** Stable name of the rule, kebab-case. */
  code: string;
  /** What is wrong and what to do, in a sentence. */
  message: string;
  /** Where in the document, as a JSON Pointer. */
  pointer: Pointer;
}

/** By file, line and column: the order in which a person reads them. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  return problems.toSorted(
    (a, b) =>
      a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column || a.code.localeCompare(b.code),
  );
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === "error");
}
