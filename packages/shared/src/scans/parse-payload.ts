import type { z } from "zod";
import { type ErrorDetail, ERROR_DETAILS_MAX, issueDetails } from "../lib/error-details.ts";
import { compileFastValidator, type FastValidator } from "../lib/fast-validator.ts";
import {
  NormalizedEndpoint,
  NormalizedFinding,
  type ScanIngestionPayload,
  ScanPayloadEnvelope,
} from "./schema.ts";

export type ParsedScanPayload =
  { ok: true; payload: ScanIngestionPayload } | { ok: false; details: ErrorDetail[] };

/**
 * Validates a scan payload strictly, and stops after `ERROR_DETAILS_MAX` faults: otherwise, a body with only invalid items
 * would cause thousands of issues and a response of a megabyte.
 *
 * @param options `textIsStorable` skips the check of each character, see `jsonTextIsStorable`
 */
export function parseScanPayload(
  input: unknown,
  { textIsStorable = false }: { textIsStorable?: boolean } = {},
): ParsedScanPayload {
  const envelope = ScanPayloadEnvelope.safeParse(input);
  if (!envelope.success) return { ok: false, details: issueDetails(envelope.error.issues) };

  const details: ErrorDetail[] = [];
  const validators = textIsStorable ? FAST_VALIDATORS : undefined;
  const endpoints = validItems(
    { schema: NormalizedEndpoint, isValidFast: validators?.endpoints, field: "endpoints" },
    envelope.data.endpoints,
    details,
  );
  const findings = validItems(
    { schema: NormalizedFinding, isValidFast: validators?.findings, field: "findings" },
    envelope.data.findings,
    details,
  );
  if (details.length > 0) return { ok: false, details };
  return { ok: true, payload: { ...envelope.data, endpoints, findings } };
}

const FAST_VALIDATORS = {
  endpoints: compileFastValidator(NormalizedEndpoint),
  findings: compileFastValidator(NormalizedFinding),
};

interface ItemKind<T> {
  schema: z.ZodType<T>;
  /** Undefined if the schema must validate every item. */
  isValidFast: FastValidator | undefined;
  field: "endpoints" | "findings";
}

/** Keeps the parsed items instead of zod's copies, which would be up to 2,500 more objects in memory. */
function validItems<T>(
  { schema, isValidFast, field }: ItemKind<T>,
  items: readonly unknown[],
  details: ErrorDetail[],
): T[] {
  return items.filter((item, index): item is T => {
    if (details.length >= ERROR_DETAILS_MAX) return false;
    if (isValidFast?.(item) === true) return true;
    const result = schema.safeParse(item);
    if (result.success) return true;
    details.push(...issueDetails(result.error.issues, [field, index]));
    details.length = Math.min(details.length, ERROR_DETAILS_MAX);
    return false;
  });
}

/** Whether these items are valid; `parseScanPayload` explains what is wrong. @param json their text */
export function areValidItems(
  kind: "endpoints" | "findings",
  items: unknown,
  json: string,
): items is Record<string, unknown>[] {
  const schema = kind === "endpoints" ? NormalizedEndpoint : NormalizedFinding;
  const isValidFast = json.includes("\\u") ? undefined : FAST_VALIDATORS[kind];
  return (
    Array.isArray(items) &&
    items.every((item) => isValidFast?.(item) === true || schema.safeParse(item).success)
  );
}
