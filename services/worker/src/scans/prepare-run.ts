import { createHash } from "node:crypto";
import { CONTRACT_VERSION } from "@waymark/shared/scans/contract-version.ts";
import { parseScanPayload } from "@waymark/shared/scans/parse-payload.ts";
import { decodePayload } from "@waymark/shared/scans/payload-encoding.ts";
import type { ClaimedRun, RunToPersist } from "@waymark/shared/scans/persist/queries.ts";
import { encodeSnapshot } from "@waymark/shared/scans/persist/snapshot-rows.ts";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { z } from "zod";

export interface PreparedRun extends RunToPersist {
  claimed: ClaimedRun;
  /** Decoded. */
  bodyBytes: number;
}

/** A stored payload that no further attempt can persist. The message is shown to whoever reads the run. */
export class UnusablePayloadError extends Error {
  override readonly name = "UnusablePayloadError";
}

// For what is known to be valid already.
const ValidatedPayload = z.custom<ScanIngestionPayload>();

/**
 * Turns a stored payload into the rows of its snapshot.
 *
 * @throws UnusablePayloadError when it is damaged or no longer fits the contract
 */
export async function prepareRun(claimed: ClaimedRun): Promise<PreparedRun> {
  const body = await readBody(claimed);
  const { endpoints, findings } = readPayload(claimed, body);
  const { scanRunId, attempt } = claimed;
  const snapshot = encodeSnapshot({ endpoints, findings });
  return { claimed, scanRunId, attempt, snapshot, bodyBytes: body.byteLength };
}

async function readBody(claimed: ClaimedRun): Promise<Buffer> {
  try {
    const body = await decodePayload(claimed);
    if (createHash("sha256").update(body).digest().equals(claimed.bodyHash)) return body;
  } catch (error) {
    throw damaged(error);
  }
  throw damaged(new Error("the body is not the one that was accepted"));
}

function readPayload(claimed: ClaimedRun, body: Buffer): ScanIngestionPayload {
  let input: unknown;
  try {
    input = JSON.parse(body.toString("utf8"));
  } catch (error) {
    throw damaged(error);
  }
  // Byte for byte what an api validated with this very contract: a second look would find the same.
  if (claimed.contractVersion === CONTRACT_VERSION) return ValidatedPayload.parse(input);
  const parsed = parseScanPayload(input);
  if (parsed.ok) return parsed.payload;
  const first = parsed.details[0];
  throw new UnusablePayloadError(
    `The stored scan does not fit this version's contract (${first?.path}: ${first?.message}). Submit it again.`,
  );
}

function damaged(cause: unknown): UnusablePayloadError {
  return new UnusablePayloadError("The stored scan is damaged and can't be read. Submit the scan again.", {
    cause,
  });
}
