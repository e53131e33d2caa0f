import { isUtf8 } from "node:buffer";
import { detachOwnedBuffer } from "@waymark/server/lib/detach-buffer.ts";
import type { ReadScan, SentChunks } from "@waymark/server/scans/accept/queries.ts";
import { canonicalJson } from "@waymark/server/scans/content/canonical-scan.ts";
import { type ChunkedScan, chunkScan } from "@waymark/server/scans/content/chunked-scan.ts";
import type { ContentId } from "@waymark/server/scans/content/content-id.ts";
import { compressChunks } from "@waymark/server/scans/content/packed-chunks.ts";
import { parseScanPayload } from "@waymark/shared/scans/parse-payload.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { ScanPayloadEnvelope, type ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { v7 as uuidv7 } from "uuid";
import { parseJson } from "../lib/json-body.ts";
import { validationError } from "../lib/zod-routes.ts";

export const NOTHING_SENT: SentChunks = { chunks: new Set(), items: Buffer.alloc(0), itemsBytes: 0 };

/** The data of a scan with a parsed body that is sent to the database. */
export interface ScanInput {
  scan: ReadScan & { content: ChunkedScan };
  sent: SentChunks;
}

/**
 * Validates a scan and names its chunks. `sendChunks` packs those that are not stored.
 *
 * @throws AppError `malformed_json` or `validation_failed`
 */
export function readScan(body: Buffer): ScanInput {
  const content = isUtf8(body) ? chunkScan(body) : undefined;
  const description = content === undefined ? undefined : readDescription(content);
  if (content === undefined || description === undefined) return readWhole(body);
  return { scan: { description, newServiceId: uuidv7(), content }, sent: NOTHING_SENT };
}

/** Packs these chunks, to send them with the scan. */
export async function sendChunks({ scan }: ScanInput, chunks: ReadonlySet<ContentId>): Promise<ScanInput> {
  if (chunks.size === 0) return { scan, sent: NOTHING_SENT };
  const packed = scan.content.pack(chunks);
  const sent = { chunks, items: await compressChunks(packed), itemsBytes: packed.byteLength };
  detachOwnedBuffer(packed);
  return { scan, sent };
}

/** Undefined if the description is invalid; `readWhole` reports why. */
function readDescription(content: ChunkedScan): ReadScan["description"] | undefined {
  const { endpointCount, findingCount } = content;
  if (endpointCount > SCAN_LIMITS.endpointsMax || findingCount > SCAN_LIMITS.findingsMax) return undefined;
  let json: unknown;
  try {
    json = parseJson(Buffer.from(content.description));
  } catch {
    return undefined;
  }
  const envelope = ScanPayloadEnvelope.safeParse(json);
  if (!envelope.success) return undefined;
  const { endpoints, findings, ...description } = envelope.data;
  return endpoints.length + findings.length === 0 ? description : undefined;
}

/** Parses a scan that is invalid or not canonical, and rewrites it canonically. */
function readWhole(body: Buffer): ScanInput {
  const payload = parsePayload(body);
  const content = chunkScan(canonicalJson(payload));
  if (content === undefined) throw new Error("a scan's canonical text could not be cut into chunks");
  const { endpoints: _endpoints, findings: _findings, ...description } = payload;
  return { scan: { description, newServiceId: uuidv7(), content }, sent: NOTHING_SENT };
}

function parsePayload(body: Buffer): ScanIngestionPayload {
  const parsed = parseScanPayload(parseJson(body));
  if (!parsed.ok) throw validationError(parsed.details);
  return parsed.payload;
}
