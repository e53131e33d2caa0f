import { hash } from "node:crypto";
import { freeBytes } from "@waymark/shared/lib/free-bytes.ts";
import { parseScanPayload } from "@waymark/shared/scans/parse-payload.ts";
import { decodePayload } from "@waymark/shared/scans/payload-encoding.ts";
import type { ClaimedRun, RunToPersist } from "@waymark/shared/scans/persist/queries.ts";
import { packRows, readSnapshot, type SnapshotRows } from "@waymark/shared/scans/persist/snapshot-rows.ts";

export interface PreparedRun extends RunToPersist {
  claimed: ClaimedRun;
  /** Decoded. */
  bodyBytes: number;
}

/** A stored payload that no further attempt can persist. The message is shown to whoever reads the run. */
export class UnusablePayloadError extends Error {
  override readonly name = "UnusablePayloadError";
}

/**
 * Turns a stored payload into the rows of its snapshot.
 *
 * @throws UnusablePayloadError when it is damaged, or a body of an older version that no longer fits the contract
 */
export async function prepareRun(claimed: ClaimedRun): Promise<PreparedRun> {
  const decoded = await decodePayload(claimed).catch((error: unknown) => {
    throw damaged(error);
  });
  const packed = claimed.bodyEncoding === "rows" ? decoded : packBody(claimed, decoded);
  freeBytes(claimed.body);
  const { scanRunId, attempt } = claimed;
  return { claimed, scanRunId, attempt, snapshot: readRows(claimed, packed), bodyBytes: packed.byteLength };
}

function readRows(claimed: ClaimedRun, packed: Buffer): SnapshotRows {
  let snapshot: ReturnType<typeof readSnapshot>;
  try {
    snapshot = readSnapshot(packed);
  } catch (error) {
    throw damaged(error);
  }
  if (!snapshot.bodyHash.equals(claimed.bodyHash)) throw damaged(new Error("the rows are of another body"));
  return snapshot;
}

/** The rows of a body that an api of a version before this one stored as it came. */
function packBody(claimed: ClaimedRun, body: Buffer): Buffer {
  const bodyHash = hash("sha256", body, "buffer");
  if (!bodyHash.equals(claimed.bodyHash))
    throw damaged(new Error("the body is not the one that was accepted"));
  let input: unknown;
  try {
    input = JSON.parse(body.toString("utf8"));
  } catch (error) {
    throw damaged(error);
  }
  const parsed = parseScanPayload(input);
  if (parsed.ok) return packRows(parsed.payload, { bodyHash });
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
