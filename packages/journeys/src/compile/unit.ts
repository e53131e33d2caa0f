import { encodePointer } from "@waymark/openapi/pointer.ts";
import type { OpenApiSource } from "@waymark/openapi/references.ts";
import type { ArazzoDocument } from "../document/model.ts";
import { hasErrors, sentence } from "../document/problem.ts";
import type { Position, Problem, Severity } from "../document/problem.ts";
import { parseExpression } from "../expressions/parse.ts";
import { parseSelector, parseValue } from "../expressions/template.ts";
import type { Expression, ValueNode } from "../expressions/ast.ts";
import type { FoundOperation } from "../openapi/find-operation.ts";

/** A parsed document, or the result of its overlays. */
export interface CompilableDocument {
  model: ArazzoDocument;
  /** The place of a node, by its pointer into the model. */
  sourceOf: (pointer: string) => Position;
  /** The origin of a field: `base` or the id of an overlay. */
  provenance?: ReadonlyMap<string, { from: string }>;
}

/** A source description as the caller has read it. */
export type LoadedSource =
  | { type: "openapi"; url: string; document: unknown; documents?: Readonly<Record<string, unknown>> }
  | { type: "arazzo"; document: CompilableDocument; sources: Readonly<Record<string, LoadedSource>> };

/** One document in a build; sub-journeys of other documents are units of their own. */
export interface Unit {
  /** The prefix of its workflows' keys: empty for the document that is built. */
  prefix: string;
  document: CompilableDocument;
  sources: Readonly<Record<string, LoadedSource>>;
  openapi: Map<string, { source: OpenApiSource; operations: FoundOperation[] }>;
  problems: Problem[];
  /** Keys of the problems of this unit, so that each is reported once. */
  reported: Set<string>;
  /** The prefix of an Arazzo source's unit, which is opened by it. */
  prefixOf: (source: string) => string;
}

export type Path = readonly (string | number)[];

/** Reports a problem at a place of the unit's document. */
export function report(
  unit: Unit,
  path: Path,
  problem: { code: string; message: string; severity?: Severity },
): void {
  const pointer = encodePointer(path);
  const { severity = "error", code, message } = problem;
  // Parameters and actions of a workflow are compiled with each of its steps.
  const key = `${pointer} ${code} ${message}`;
  if (unit.reported.has(key)) return;
  unit.reported.add(key);
  const { file, line, column } = unit.document.sourceOf(pointer);
  unit.problems.push({ severity, code, message, pointer, file, line, column });
}

/**
 * Leaves a part out of the program that a rule has reported already. If no rule has, this reports it: without an error, a journey
 * would pass without the part.
 */
export function leaveOut(unit: Unit, path: Path): undefined {
  if (hasErrors(unit.problems)) return;
  report(unit, path, { code: "not-compiled", message: "This can't be run." });
}

/** Parses a text that must be an expression. Reports one that isn't, and returns undefined. */
export function expressionAt(unit: Unit, path: Path, text: string): Expression | undefined {
  const parsed = parseExpression(text);
  if (parsed.ok) return parsed.value;
  report(unit, path, { code: "invalid-expression", message: sentence(parsed.problem.message) });
  return undefined;
}

/** Parses a value with expressions anywhere in it. */
export function valueAt(unit: Unit, path: Path, value: unknown): ValueNode {
  const { node, problems } = parseValue(value);
  for (const problem of problems) {
    report(unit, [...path, ...problem.path], {
      code: "invalid-expression",
      message: sentence(problem.message),
    });
  }
  return node;
}

/** The outputs of a step or workflow. */
export function outputsAt(
  unit: Unit,
  path: Path,
  outputs: Readonly<Record<string, unknown>>,
): Record<string, ValueNode> {
  const result: Record<string, ValueNode> = {};
  for (const [name, given] of Object.entries(outputs)) {
    const node = outputAt(unit, [...path, name], given);
    if (node !== undefined) result[name] = node;
  }
  return result;
}

function outputAt(unit: Unit, path: Path, given: unknown): ValueNode | undefined {
  if (typeof given === "string") {
    if (given.includes("{$")) return valueAt(unit, path, given);
    const expr = expressionAt(unit, path, given);
    return expr === undefined ? undefined : { expr };
  }
  if (!isSelectorSource(given)) {
    report(unit, path, {
      code: "invalid-output",
      message: "An output is an expression or a selector object.",
    });
    return undefined;
  }
  const selector = parseSelector(given);
  if (selector.ok) return { selector: selector.value };
  report(unit, path, { code: "invalid-expression", message: sentence(selector.problem.message) });
  return undefined;
}

function isSelectorSource(value: unknown): value is { context: string; selector: string; type: unknown } {
  return typeof value === "object" && value !== null && "context" in value && "selector" in value;
}
