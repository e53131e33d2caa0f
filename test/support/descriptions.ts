import { createHash } from "node:crypto";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { scanPayload } from "./scan-payload.ts";
import { ingest, waitForRun } from "./scans.ts";
import type { Stack } from "./stack.ts";

type Endpoint = ScanIngestionPayload["endpoints"][number];
interface Description {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, object>>;
  [more: string]: unknown;
}

/** A description with these endpoints, each with a response of its own. */
export function descriptionOf(endpoints: readonly Endpoint[], more: object = {}): Description {
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, path } of endpoints) {
    const description = `Returns what ${method} ${path} returns.`;
    (paths[path] ??= {})[method.toLowerCase()] = { responses: { 200: { description } } };
  }
  return { openapi: "3.1.0", info: { title: "Orders", version: "1.2.3" }, paths, ...more };
}

/** Scans a service, and waits until the run is completed. */
export async function scanned(stack: Pick<Stack, "http">, options: Parameters<typeof scanPayload>[0] = {}) {
  const payload = scanPayload(options);
  const { body } = await ingest(stack, payload);
  await waitForRun(stack, body.scanRunId);
  return { ...body, path: `/api/scan-runs/${body.scanRunId}/description`, endpoints: payload.endpoints };
}

/** The value of `Repr-Digest` of a text. */
export const reprDigest = (text: string | Buffer): string =>
  `sha-256=:${createHash("sha256").update(text).digest("base64")}:`;
