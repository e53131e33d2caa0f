import { isObject, ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import { HTTP_METHODS } from "@waymark/shared/scans/limits.ts";
import { usageError } from "../lib/cli-error.ts";
import { printable } from "../lib/text.ts";
import type { OperationPlace } from "../openapi/operation-place.ts";
import type { ForeignFinding, ForeignReport } from "./foreign-finding.ts";
import { sarifFile } from "./sarif-file.ts";
import { helpOf, idOf, messageOf, ruleOf, severityOf } from "./sarif-rule.ts";

/**
 * Reads a SARIF 2.1.0 log with any number of runs.
 * @throws {CliError} for another version, and for a run without results: its tool did not check anything
 */
export function fromSarif(log: unknown, name: string): ForeignReport {
  const version = ownString(log, "version") ?? "";
  if (!version.startsWith("2.1")) {
    throw usageError(
      `${name} is SARIF ${version === "" ? "without a version" : printable(version, 30)}, and Waymark reads 2.1.0.`,
    );
  }
  const runs = ownArray(log, "runs");
  if (runs.length === 0) throw usageError(`${name} has no run in it, so nothing was checked.`);
  const ignored = new Map<string, number>();
  const report: ForeignReport = { findings: [], ignored, failures: [] };
  for (const run of runs) {
    const tool = ownString(ownObject(ownObject(run, "tool"), "driver"), "name") ?? "a tool";
    if (!Array.isArray(ownValue(run, "results"))) {
      const isSplit = ownValue(run, "externalPropertyFileReferences") !== undefined;
      const reason = isSplit ? "keeps its results in other files" : "has no results, so nothing was checked";
      throw usageError(`${name}: the run of ${printable(tool, 100)} ${reason}.`);
    }
    if (ownArray(run, "invocations").some((each) => ownValue(each, "executionSuccessful") === false)) {
      report.failures.push(
        `${name}: ${printable(tool, 100)} says that its run failed, so findings may be missing.`,
      );
    }
    for (const result of ownArray(run, "results")) {
      if (!isObject(result)) throw usageError(`${name}: a result of ${printable(tool, 100)} is no object.`);
      const reason = whyIgnored(result);
      if (reason === undefined) report.findings.push(toFinding(result, run, tool));
      else ignored.set(reason, (ignored.get(reason) ?? 0) + 1);
    }
  }
  return report;
}

/** Returns the reason why a result is no finding. A suppression counts only when it is accepted. */
function whyIgnored(result: unknown): string | undefined {
  const suppressions = ownArray(result, "suppressions");
  const isAccepted = (each: unknown) => (ownString(each, "status") ?? "accepted") === "accepted";
  if (suppressions.length > 0 && suppressions.every(isAccepted)) return "suppressed";
  if (ownValue(result, "baselineState") === "absent") return "absent since the baseline";
  const kind = ownString(result, "kind");
  if (kind === "pass") return "passed";
  return kind === "notApplicable" ? "not applicable" : undefined;
}

function toFinding(result: unknown, run: unknown, tool: string): ForeignFinding {
  const rule = ruleOf(result, run);
  const [location] = ownArray(result, "locations");
  const physical = ownObject(location, "physicalLocation");
  const region = ownObject(physical, "region");
  return {
    code: idOf(result, rule) ?? tool,
    severity: severityOf(result, rule, run),
    message: messageOf(result, rule, run),
    file: sarifFile(ownObject(physical, "artifactLocation"), run),
    line: positive(ownValue(region, "startLine")),
    column: positive(ownValue(region, "startColumn")),
    pointer: undefined,
    operation: namedOperation(location),
    helpUrl: helpOf(rule),
  };
}

function positive(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 1 ? Number(value) : undefined;
}

/** Returns the operation of a logical location such as `GET /orders`, which Waymark's own reports have. */
function namedOperation(location: unknown): OperationPlace | undefined {
  for (const logical of ownArray(location, "logicalLocations")) {
    const [, name, path] =
      /^(?:([A-Z]+) )?(\/.*)$/s.exec(ownString(logical, "fullyQualifiedName") ?? "") ?? [];
    const method = HTTP_METHODS.find((each) => each === name);
    if (path !== undefined && (name === undefined || method !== undefined))
      return { path, method: method ?? null };
  }
  return undefined;
}
