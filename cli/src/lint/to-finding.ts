import { getLineColLocation, type LocationObject, type NormalizedProblem } from "@redocly/openapi-core";
import type { DuplicateKey } from "@waymark/openapi/parse/duplicate-keys.ts";
import { decodePointer } from "@waymark/openapi/pointer.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import type { Severity } from "@waymark/shared/scans/schema.ts";
import { fitText } from "../lib/text.ts";
import { formatLocation } from "../openapi/document.ts";
import { operationAt, type OperationPlace } from "../openapi/operation-place.ts";
import { severityOf } from "./rule-severities.ts";
import { LINT_FAILED, type PlacedFinding } from "./lint-messages.ts";

const DUPLICATE_KEY = "duplicate-key";

/** Turns a problem of the rule engine into a finding of a scan. Its texts are cut to a scan's limits. */
export function toFinding(
  problem: NormalizedProblem,
  { severities, named }: { severities: ReadonlyMap<string, Severity>; named: ReadonlySet<string> },
): PlacedFinding {
  const isNamed = named.has(problem.ruleId);
  const [location] = problem.location;
  return {
    code: fitText(problem.ruleId, SCAN_LIMITS.codeMax),
    severity:
      severities.get(problem.ruleId) ?? severityOf(problem.ruleId, { level: problem.severity, isNamed }),
    message: fitText(problem.message, SCAN_LIMITS.messageMax),
    // A problem in a shared component names the position that refers to it.
    ...placeOf(location, problem.from),
    helpUrl: problem.reference,
  };
}

/** A finding about the linting itself. Its file is empty without a location. */
export function failureFinding(message: string, location: LocationObject | undefined): PlacedFinding {
  return {
    code: LINT_FAILED,
    severity: "high",
    message: fitText(message, SCAN_LIMITS.messageMax),
    ...placeOf(location),
    helpUrl: undefined,
  };
}

interface DuplicateOptions {
  /** Absolute path. */
  file: string;
  /** The name of a file that the description refers to; undefined for the description itself. */
  from: string | undefined;
  severities: ReadonlyMap<string, Severity>;
}

/** Returns the finding about a key that occurs more than once in its object. */
export function duplicateFinding(
  { path, lines }: DuplicateKey,
  { file, from, severities }: DuplicateOptions,
): PlacedFinding {
  const key = formatLocation(path);
  const operation = from === undefined ? operationAt(path) : undefined;
  // Without its lines, because a finding is identified by its message.
  const message = `${key}${from === undefined ? "" : ` of ${from}`} occurs more than once, and only the last one counts.`;
  return {
    code: DUPLICATE_KEY,
    severity: severities.get(DUPLICATE_KEY) ?? "medium",
    message: fitText(message, SCAN_LIMITS.messageMax),
    method: operation?.method ?? null,
    path: operation?.path ?? null,
    file,
    line: lines.at(-1) ?? 1,
    column: 1,
    helpUrl: undefined,
  };
}

function placeOf(location: LocationObject | undefined, from?: LocationObject) {
  const operation = operationOf(location) ?? operationOf(from);
  return {
    method: operation?.method ?? null,
    path: operation?.path ?? null,
    file: location?.source.absoluteRef ?? "",
    ...positionOf(location),
  };
}

/** Returns the operation or path of a pointer such as `#/paths/~1users/get/responses`. */
function operationOf(location: LocationObject | undefined): OperationPlace | undefined {
  return operationAt(decodePointer((location?.pointer ?? "").replace(/^#/, "")) ?? []);
}

function positionOf(location: LocationObject | undefined): { line: number; column: number } {
  if (location === undefined || location.pointer === undefined) return { line: 1, column: 1 };
  const { start } = getLineColLocation(location);
  return { line: start.line, column: start.col };
}
