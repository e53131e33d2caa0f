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

type ItemPage = { endpoints?: object[]; findings?: object[]; nextCursor?: string };

/** Removes what the server adds to an item. */
function asSent(item: object): object {
  const added = new Set(["id", "fingerprint", "decision", "exceededDecision"]);
  return Object.fromEntries(Object.entries(item).filter(([name]) => !added.has(name)));
}

/** Reads all endpoints or findings of a run, page by page, as they were sent: a finding without its id and its decision. */
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
    items.push(...(body[field] ?? []).map(asSent));
    cursor = body.nextCursor;
  } while (cursor !== undefined);
  return items;
}
