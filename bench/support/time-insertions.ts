import { randomBytes } from "node:crypto";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { createBodies, type ScanSize } from "./payloads.ts";

export interface InsertionOrder {
  organizationId: string;
  size: ScanSize;
  /** The content of the first; the others follow. */
  content: number;
  count: number;
}

/** Has `count` new scans inserted one after the other and returns what each took, in milliseconds. */
export async function timeInsertions(
  { size, content, count }: InsertionOrder,
  insert: (snapshotId: Buffer, scan: ScanIngestionPayload) => Promise<void>,
): Promise<number[]> {
  const bodies = createBodies(size);
  const durations: number[] = [];
  for (let n = 0; n < count; n++) {
    const scan = JSON.parse(bodies(content + n, 0).bytes.toString("utf8")) as ScanIngestionPayload;
    const start = performance.now();
    await insert(randomBytes(32), scan);
    durations.push(performance.now() - start);
  }
  return durations;
}
