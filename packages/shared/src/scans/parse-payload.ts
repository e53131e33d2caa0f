import type { z } from "zod";
import { type ErrorDetail, ERROR_DETAILS_MAX, issueDetails } from "../lib/error-details.ts";
import {
  NormalizedEndpoint,
  NormalizedFinding,
  type ScanIngestionPayload,
  ScanPayloadEnvelope,
} from "./schema.ts";

export type ParsedScanPayload =
  | { ok: true; payload: ScanIngestionPayload }
  | { ok: false; details: ErrorDetail[] };

/**
 * Validates a scan payload strictly, and stops after `ERROR_DETAILS_MAX` faults: otherwise, a body with only invalid items
 * would cause thousands of issues and a response of a megabyte.
 */
export function parseScanPayload(input: unknown): ParsedScanPayload {
  const envelope = ScanPayloadEnvelope.safeParse(input);
  if (!envelope.success) return { ok: false, details: issueDetails(envelope.error.issues) };

  const details: ErrorDetail[] = [];
  const { data } = envelope;
  const endpoints = validItems({ schema: NormalizedEndpoint, field: "endpoints" }, data.endpoints, details);
  const findings = validItems({ schema: NormalizedFinding, field: "findings" }, data.findings, details);
  if (details.length > 0) return { ok: false, details };
  return { ok: true, payload: { ...data, endpoints, findings } };
}

interface ItemKind<T> {
  schema: z.ZodType<T>;
  field: "endpoints" | "findings";
}

/** Keeps the parsed items instead of zod's copies, which would be up to 2,500 more objects in memory. */
function validItems<T>(
  { schema, field }: ItemKind<T>,
  items: readonly unknown[],
  details: ErrorDetail[],
): T[] {
  return items.filter((item, index): item is T => {
    if (details.length >= ERROR_DETAILS_MAX) return false;
    const result = schema.safeParse(item);
    if (result.success) return true;
    details.push(...issueDetails(result.error.issues, [field, index]));
    details.length = Math.min(details.length, ERROR_DETAILS_MAX);
    return false;
  });
}
