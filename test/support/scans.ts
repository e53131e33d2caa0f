import type { ScanIngestionPayload, ScanIngestionResult, ScanRun } from "@waymark/shared/scans/schema.ts";
import { type Stack, waitForScanRun } from "./stack.ts";

/** Submits a scan with the organization's first key. */
export function ingest(stack: Pick<Stack, "http">, payload: ScanIngestionPayload) {
  return stack.http.post<ScanIngestionResult>("/api/scans/ingest", payload);
}

/** Follows a run until it is final. */
export function waitForRun(stack: Pick<Stack, "http">, scanRunId: string): Promise<ScanRun> {
  return waitForScanRun<ScanRun>(stack.http, scanRunId);
}

type ItemPage = { endpoints?: unknown[]; findings?: unknown[]; nextCursor?: string };

/** All endpoints or findings of a run, page by page. */
export async function readAllItems(
  stack: Pick<Stack, "http">,
  scanRunId: string,
  field: "endpoints" | "findings",
): Promise<unknown[]> {
  const items: unknown[] = [];
  let cursor: string | undefined;
  do {
    const after = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await stack.http.get<ItemPage>(`/api/scan-runs/${scanRunId}/${field}?limit=200${after}`);
    items.push(...(body[field] ?? []));
    cursor = body.nextCursor;
  } while (cursor !== undefined);
  return items;
}
