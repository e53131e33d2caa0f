import type { FoundEndpoint } from "@waymark/shared/endpoint-search/schema.ts";
import { operationOf } from "../lib/operation.ts";

/** The address of the endpoint in its scan run. */
export function endpointHref({
  scanRunId,
  method,
  path,
}: Pick<FoundEndpoint, "scanRunId" | "method" | "path">): string {
  return `/scan-runs/${scanRunId}?${new URLSearchParams({ of: operationOf(method, path) })}`;
}
