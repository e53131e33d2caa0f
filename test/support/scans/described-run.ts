import type { ScanIngestionPayload, ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { listOperationNames } from "@waymark/openapi/canonical/operation-names.ts";
import { scanPayload } from "../scan-payload.ts";
import { waitForRun } from "../scans.ts";
import type { Stack } from "../stack.ts";

/** Scans a description as the command does: its endpoints first, then its text. Returns once both are stored. */
export async function scanDescription(
  stack: Pick<Stack, "http">,
  options: {
    serviceName: string;
    description: object;
    findings?: ScanIngestionPayload["findings"];
    headers?: Record<string, string>;
  },
) {
  const { serviceName, description, findings = [], headers = {} } = options;
  const endpoints = listOperationNames(description, 5000).map(({ method, path }) => ({
    method: method as ScanIngestionPayload["endpoints"][number]["method"],
    path,
    operationId: null,
    tags: [],
    summary: null,
  }));
  const payload = { ...scanPayload({ serviceName, endpoints: 0, findings: 0 }), endpoints, findings };
  const { body } = await stack.http.post<ScanIngestionResult>("/api/scans/ingest", payload, { headers });
  await waitForRun(stack, body.scanRunId);
  const path = `/api/scan-runs/${body.scanRunId}/description`;
  const stored = await stack.http.request("PUT", path, { body: description });
  if (stored.status !== 201) throw new Error(`PUT ${path}: ${stored.status} ${JSON.stringify(stored.body)}`);
  return body;
}
