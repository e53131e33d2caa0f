import { isObject } from "@waymark/openapi/json.ts";
import { encodePointer } from "@waymark/openapi/pointer.ts";
import type { PatternType } from "../evaluation/evaluator.ts";
import type { Problem } from "../document/problem.ts";
import { EngineError } from "../expressions/engine-error.ts";
import type { Evaluator } from "../evaluation/evaluator.ts";
import type { Build } from "./build.ts";

interface Pattern {
  type: PatternType;
  version: string | undefined;
  /** The whole text, if it contains no expression. */
  text: string | undefined;
  path: (string | number)[];
}

/** The time to read all patterns of a journey. */
const READ_MS = 1_000;

/** Checks patterns that contain no expression, before the run. */
export async function checkPatterns(given: Evaluator, build: Build, problems: Problem[]): Promise<void> {
  const budget = { leftMs: READ_MS, givenMs: READ_MS };
  const evaluator = given.within(budget);
  const patterns: Pattern[] = [];
  visitPatterns(build.workflows, ["workflows"], (pattern) => patterns.push(pattern));
  for (const { type, version, text, path } of patterns) {
    const problem = text === undefined ? undefined : await problemOf(evaluator, type, text, version);
    if (problem === undefined) continue;
    const { file, line, column } = placeOf(build, path);
    const message = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`;
    problems.push({ severity: "error", code: "invalid-condition", message, pointer: "", file, line, column });
    if (budget.leftMs <= 0) return;
  }
}

async function problemOf(
  evaluator: Evaluator,
  type: PatternType,
  text: string,
  version: string | undefined,
): Promise<string | undefined> {
  try {
    return await evaluator.findProblem(type, text, version);
  } catch (error) {
    if (error instanceof EngineError) return `it can't be read: ${error.message}`;
    throw error;
  }
}

function placeOf(build: Build, path: (string | number)[]): { file: string; line: number; column: number } {
  for (let length = path.length; length > 0; length--) {
    const found = build.marks.get(encodePointer(path.slice(0, length)));
    if (found !== undefined) return found;
  }
  return { file: "", line: 1, column: 1 };
}

function visitPatterns(node: unknown, path: (string | number)[], visit: (pattern: Pattern) => void): void {
  if (Array.isArray(node)) {
    for (const [index, item] of node.entries()) visitPatterns(item, [...path, index], visit);
    return;
  }
  if (!isObject(node)) return;
  const type = patternType(node["type"]);
  if (type !== undefined && Array.isArray(node["pattern"]))
    visit({ type, version: versionOf(node["version"]), text: literal(node["pattern"]), path });
  for (const key of ["selector", "target"]) {
    const text = node[key];
    const kind = isObject(node["type"]) ? node["type"] : {};
    const selector = patternType(kind["type"]);
    if (selector === undefined || !Array.isArray(text)) continue;
    visit({ type: selector, version: versionOf(kind["version"]), text: literal(text), path });
  }
  for (const [key, value] of Object.entries(node)) {
    // The document chooses its members' names: a payload may have one named "inputs".
    if (key === "object" && isObject(value)) {
      for (const [name, member] of Object.entries(value)) visitPatterns(member, [...path, key, name], visit);
      continue;
    }
    if (key !== "const" && key !== "inputs" && key !== "vars") visitPatterns(value, [...path, key], visit);
  }
}

function literal(template: unknown[]): string | undefined {
  const [only] = template;
  return template.length === 1 && typeof only === "string" ? only : undefined;
}

function versionOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function patternType(value: unknown): PatternType | undefined {
  return value === "regex" || value === "jsonpath" || value === "xpath" ? value : undefined;
}
