import { toJson } from "./exact-json.ts";

/** How a value is written inside a string: a string as it is, structures as JSON, nothing as `null`. */
export function embeddedText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "null";
  return toJson(value) ?? "null";
}
