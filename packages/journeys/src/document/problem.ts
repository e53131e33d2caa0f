import type { Pointer } from "@waymark/openapi/pointer.ts";

export type Severity = "error" | "warning";

/** A place in a text file; line and column count from 1. */
export interface Position {
  file: string;
  line: number;
  column: number;
}

/** A fault of a document, with the position where it can be fixed. */
export interface Problem extends Position {
  severity: Severity;
  /** Stable name of the rule, kebab-case. */
  code: string;
  /** A sentence that says what is wrong and what to do. */
  message: string;
  /** Where in the document, as a JSON Pointer. */
  pointer: Pointer;
}

/** Sorts by file, line and column. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  return problems.toSorted(
    (a, b) =>
      a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column || a.code.localeCompare(b.code),
  );
}

export function hasErrors(problems: readonly Pick<Problem, "severity">[]): boolean {
  return problems.some((problem) => problem.severity === "error");
}

/** A parser's message as a sentence. */
export function sentence(text: string): string {
  const capital = text.startsWith("is ") ? `This ${text}` : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
