import { parseScanPayload } from "@waymark/shared/scans/parse-payload.ts";
import { decodePayload } from "@waymark/shared/scans/payload-encoding.ts";
import type { ClaimedRun, SnapshotContent } from "@waymark/shared/scans/persist/queries.ts";
import { snapshotId } from "@waymark/shared/scans/snapshot-id.ts";

export interface PreparedRun {
  claimed: ClaimedRun;
  content: SnapshotContent;
}

/** A stored payload that no further attempt can persist. The message is shown to whoever reads the run. */
export class UnusablePayloadError extends Error {
  override readonly name = "UnusablePayloadError";
}

/**
 * Turns a stored payload into the content of its snapshot.
 *
 * @throws UnusablePayloadError when it is damaged or no longer fits the contract
 */
export async function prepareRun(claimed: ClaimedRun): Promise<PreparedRun> {
  let input: unknown;
  try {
    const body = await decodePayload(claimed);
    input = JSON.parse(body.toString("utf8"));
  } catch (error) {
    throw new UnusablePayloadError("The stored scan is damaged and can't be read. Submit the scan again.", {
      cause: error,
    });
  }
  const parsed = parseScanPayload(input);
  if (!parsed.ok) {
    const first = parsed.details[0];
    throw new UnusablePayloadError(
      `The stored scan does not fit this version's contract (${first?.path}: ${first?.message}). Submit it again.`,
    );
  }
  const { endpoints, findings } = parsed.payload;
  return {
    claimed,
    content: { id: snapshotId({ endpoints, findings }).toString("hex"), endpoints, findings },
  };
}
