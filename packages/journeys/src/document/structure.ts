import { isObject } from "@waymark/openapi/json.ts";
import { childPointer, encodePointer } from "@waymark/openapi/pointer.ts";
import type { JsonValue } from "@waymark/openapi/json.ts";
import type { z } from "zod";
import { valueAt } from "@waymark/openapi/pointer.ts";
import { PARSE_LIMITS } from "./limits.ts";
import { sourceOf, valueSourceOf } from "./positions.ts";
import type { Positions } from "./positions.ts";
import type { Problem } from "./problem.ts";

type Issue = z.core.$ZodIssue;

/** Checks a value against a model; every fault becomes a problem at its place, unknown fields at their key. */
export function checkStructure<T>(
  schema: z.ZodType<T>,
  value: JsonValue,
  positions: Positions,
): { data?: T; problems: Problem[] } {
  const result = schema.safeParse(value);
  if (result.success) return { data: result.data, problems: [] };
  const issues = result.error.issues.slice(0, PARSE_LIMITS.problems);
  return {
    problems: issues
      .flatMap((issue) => problemsOf(issue, [], value, positions))
      .slice(0, PARSE_LIMITS.problems),
  };
}

function problemsOf(
  issue: Issue,
  base: readonly PropertyKey[],
  root: JsonValue,
  positions: Positions,
): Problem[] {
  const path = [...base, ...issue.path];
  const pointer = encodePointer(path.map((part) => (typeof part === "number" ? part : String(part))));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const at = childPointer(pointer, key);
      return {
        severity: "error",
        code: "unknown-field",
        message: unknownField(key),
        pointer: at,
        ...sourceOf(positions, at),
      };
    });
  }
  if (issue.code === "invalid_union") {
    const branch = likeliestBranch(issue.errors, valueAt(root, pointer));
    if (branch !== undefined) return branch.flatMap((inner) => problemsOf(inner, path, root, positions));
  }
  const missing = valueAt(root, pointer) === undefined && path.length > 0;
  const field = String(path.at(-1) ?? "document");
  if (missing) {
    const message = `The field ${field} is missing.`;
    return [{ severity: "error", code: "missing-field", message, pointer, ...sourceOf(positions, pointer) }];
  }
  const place =
    issue.code === "invalid_key" ? sourceOf(positions, pointer) : valueSourceOf(positions, pointer);
  const code = issue.code === "invalid_type" ? "wrong-type" : "invalid-value";
  return [
    {
      severity: "error",
      code,
      message: `${field}: ${told(issue, valueAt(root, pointer))}.`,
      pointer,
      ...place,
    },
  ];
}

/** The alternative of a union that the author probably meant: the right type first, then the fewest faults. */
function likeliestBranch(branches: Issue[][], value: JsonValue | undefined): Issue[] | undefined {
  if (!isObject(value)) return undefined;
  // Reusable Objects accept any field, so without a reference they can't have been meant.
  const isReusable = Object.hasOwn(value, "reference");
  const meant = branches.filter(
    (issues) => isReusable || !issues.some(({ path }) => path[0] === "reference"),
  );
  return meant.toSorted((a, b) => weight(a) - weight(b))[0];
}

function weight(issues: Issue[]): number {
  return issues.reduce((sum, issue) => {
    if (issue.code === "unrecognized_keys") return sum + 100 * issue.keys.length;
    return sum + ([10_000, 100][issue.path.length] ?? 1);
  }, 0);
}

function unknownField(key: string): string {
  if (key === "<<") return "Merge keys (<<) are no part of YAML 1.2; write the fields out or use components.";
  return `The field ${key} is unknown here; fields of your own begin with x-.`;
}

function told(issue: Issue, found: JsonValue | undefined): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${named(issue.expected)}, but is ${typeName(found)}`;
    case "invalid_value":
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "too_small":
      return issue.origin === "string"
        ? "must not be empty"
        : `must be at least ${issue.minimum}${issue.origin === "array" ? " item" : ""}`;
    case "too_big":
      return `must be at most ${issue.maximum}`;
    case "invalid_union":
      return "has a type that isn't accepted here";
    case "invalid_key":
      return issue.issues[0]?.message ?? "is no name that is accepted here";
    default:
      return issue.message;
  }
}

const TYPE_NAMES: Record<string, string> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  object: "an object",
};

function named(type: string): string {
  return TYPE_NAMES[type] ?? (type === "array" ? "a list" : type === "record" ? "an object" : type);
}

function typeName(value: JsonValue | undefined): string {
  if (value === null) return "empty";
  return named(Array.isArray(value) ? "array" : typeof value);
}
