import { randomUUID } from "node:crypto";
import type { ScanChanges, ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { expect } from "vitest";
import { descriptionOf } from "./descriptions.ts";
import { scanPayload } from "./scan-payload.ts";
import { waitForRun } from "./scans.ts";
import type { Stack } from "./stack.ts";

interface ScanOptions {
  /** The query parameters that every operation requires. */
  required?: readonly string[];
  headers?: Record<string, string>;
  /** False: the run gets no description. */
  isDescribed?: boolean;
}

/** A service of its own, whose scans have the same endpoints. */
export function describedService(stack: Stack, { endpointCount = 2 }: { endpointCount?: number } = {}) {
  const payload = scanPayload({ serviceName: randomUUID(), seed: randomUUID(), endpoints: endpointCount });
  const scan = async ({ required = [], headers = {}, isDescribed = true }: ScanOptions = {}) => {
    const { body } = await stack.http.post<ScanIngestionResult>("/api/scans/ingest", payload, { headers });
    await waitForRun(stack, body.scanRunId);
    if (isDescribed) await describeRun(body.scanRunId, required);
    return body.scanRunId;
  };
  const describeRun = async (scanRunId: string, required: readonly string[], more: object = {}) => {
    const description = descriptionOf(payload.endpoints, more);
    for (const item of Object.values(description.paths)) {
      for (const operation of Object.values(item))
        Object.assign(operation, {
          parameters: required.map((name) => ({ name, in: "query", required: true, schema: {} })),
        });
    }
    const put = await stack.http.request("PUT", `/api/scan-runs/${scanRunId}/description`, {
      body: description,
    });
    expect(put.status).toBeLessThan(300);
  };
  return { payload, scan, describeRun };
}

/** Returns the changes of a run when its comparison is no longer pending. */
export async function settledChanges({ http }: Stack, scanRunId: string): Promise<ScanChanges> {
  const read = async () => (await http.get<ScanChanges>(`/api/scan-runs/${scanRunId}/changes`)).body;
  await expect.poll(async () => (await read()).comparison.status, { timeout: 60_000 }).not.toBe("pending");
  return read();
}
