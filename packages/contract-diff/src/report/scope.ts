import type { Place } from "../read/node.ts";
import type { OperationName } from "../verdict.ts";

/** Names the smallest part of the description that shares a change: a component, a path, or an operation. */
export function scopeOf(place: Place | undefined, { method, path, kind }: OperationName): string {
  const pointer = place?.pointer ?? "";
  if (place !== undefined && !/^\/(?:paths|webhooks|x-webhooks)\//.test(pointer) && pointer !== "") {
    return `${place.file}#${pointer}`;
  }
  const shape = path.replaceAll(/\{[^{}]*\}/g, "{}");
  return /^\/paths\/[^/]+\/parameters\//.test(pointer) ? `${kind} ${shape}` : `${kind} ${method} ${shape}`;
}
