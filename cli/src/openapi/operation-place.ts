import { HTTP_METHODS } from "@waymark/shared/scans/limits.ts";
import type { HttpMethod } from "@waymark/shared/scans/schema.ts";

/** The path, and perhaps the method, that a place in a description belongs to. */
export interface OperationPlace {
  path: string;
  /** Null for a place that all operations of the path share. */
  method: HttpMethod | null;
}

/** Returns the operation or path that has a place such as `paths`, `/users`, `get`, `responses`. */
export function operationAt([section, path, key]: readonly string[]): OperationPlace | undefined {
  if (section !== "paths" || path === undefined || !path.startsWith("/")) return undefined;
  const method = HTTP_METHODS.find((name) => name.toLowerCase() === key);
  return { path, method: method ?? null };
}
