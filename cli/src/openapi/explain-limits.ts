import { ERROR_DETAILS_MAX } from "@waymark/shared/lib/error-details.ts";
import { countCharacters } from "@waymark/shared/lib/schema.ts";
import { parseScanPayload } from "@waymark/shared/scans/parse-payload.ts";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { printable } from "../lib/text.ts";
import { formatLocation } from "./document.ts";

/**
 * The limits that a scan exceeds, found with the server's own validation: one line each, with the limit, the value and its
 * location in the spec. Empty if there are none.
 */
export function explainLimits(payload: ScanIngestionPayload): string[] {
  const parsed = parseScanPayload(payload);
  if (parsed.ok) return [];
  const details = parsed.details.map(({ path, message }) => describe(payload, path, message));
  if (details.length >= ERROR_DETAILS_MAX) details.push("There may be more.");
  return details;
}

// Details name fields of the payload (`endpoints[3].summary`); the user knows the spec (`paths["/a"].get.summary`).
function describe(payload: ScanIngestionPayload, path: string, message: string): string {
  const parts = path.split(/[.[\]]+/).filter((part) => part !== "");
  let value: unknown = payload;
  for (const part of parts) {
    value = typeof value === "object" && value !== null ? Reflect.get(value, part) : undefined;
  }
  return `${specLocation(payload, parts)} ${message}${shownValue(value, message)}`;
}

function specLocation(payload: ScanIngestionPayload, parts: string[]): string {
  const [section, ...rest] = parts;
  if (section === "service") return "--service";
  if (section === "spec") return formatLocation(["info", ...rest]);
  const endpoint = section === "endpoints" ? payload.endpoints[Number(rest[0])] : undefined;
  if (endpoint === undefined) return parts.join(".");
  const [, field, index] = rest;
  const operation = ["paths", printable(endpoint.path, 200)];
  if (field === "path") return `${formatLocation(operation)} (the path itself)`;
  operation.push(endpoint.method.toLowerCase());
  if (field !== undefined) operation.push(field);
  return formatLocation(index === undefined ? operation : [...operation, Number(index)]);
}

function shownValue(value: unknown, message: string): string {
  if (Array.isArray(value)) return `, has ${value.length}`;
  if (typeof value !== "string") return "";
  const length = / is \d+$/.test(message) ? "" : `, is ${countCharacters(value)}`;
  return `${length}: "${printable(value, 60)}"`;
}
