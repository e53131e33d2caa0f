import { ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { Severity } from "@waymark/shared/scans/schema.ts";
import { usageError } from "../lib/cli-error.ts";
import { filePath } from "./file-path.ts";
import type { ForeignFinding, ForeignReport } from "./foreign-finding.ts";

/** Spectral's severities: error, warn, info, hint. */
const SEVERITIES: readonly Severity[] = ["high", "medium", "low", "info"];

/**
 * Reads the JSON that `spectral lint --format json` and `vacuum spectral-report` write.
 * @throws {CliError} for a severity that neither of them has
 */
export function fromSpectral(results: readonly unknown[], name: string): ForeignReport {
  return {
    findings: results.map((result, index) => toFinding(result, index, name)),
    ignored: new Map(),
    failures: [],
  };
}

function toFinding(result: unknown, index: number, name: string): ForeignFinding {
  const severity = SEVERITIES[Number(ownValue(result, "severity"))];
  if (severity === undefined) {
    throw usageError(
      `${name}: the severity of result ${index} must be 0 (error), 1 (warn), 2 (info) or 3 (hint).`,
    );
  }
  const start = ownObject(ownObject(result, "range"), "start");
  const source = ownString(result, "source");
  return {
    code: ownString(result, "code") ?? String(Number(ownValue(result, "code"))),
    severity,
    message: ownString(result, "message") ?? "",
    file: source === undefined || isStandardInput(source) ? undefined : filePath(source),
    line: fromZero(ownValue(start, "line")),
    column: fromZero(ownValue(start, "character")),
    pointer: ownArray(result, "path").map(String),
    operation: undefined,
    helpUrl: ownString(result, "documentationUrl"),
  };
}

function isStandardInput(source: string): boolean {
  return source === "" || /^<?stdin>?$/i.test(source);
}

/** Returns a position that is counted from 0 as one that is counted from 1. */
function fromZero(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) + 1 : undefined;
}
