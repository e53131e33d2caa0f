import { isObject, ownValue } from "@waymark/openapi/json.ts";

/** The formats of reports that are read. */
export type ReportFormat = "sarif" | "spectral";

/** Returns the format of a report; undefined for a value that is none. */
export function formatOf(value: unknown): ReportFormat | undefined {
  if (Array.isArray(value)) return value.every(isSpectralResult) ? "spectral" : undefined;
  return isObject(value) && Array.isArray(ownValue(value, "runs")) ? "sarif" : undefined;
}

/** True for a value that has the form of a report. */
export function isForeignReport(value: unknown): boolean {
  return formatOf(value) !== undefined;
}

/** True for an object with the members that each result of Spectral and vacuum has. */
function isSpectralResult(value: unknown): boolean {
  return (
    isObject(value) &&
    ["string", "number"].includes(typeof ownValue(value, "code")) &&
    typeof ownValue(value, "message") === "string" &&
    typeof ownValue(value, "severity") === "number"
  );
}
