import { findBytes } from "./bytes.ts";
import { EvaluationLimit } from "./engine-error.ts";
import { toJson } from "./exact-json.ts";

/**
 * How a value is written inside a string: a string as it is, structures as JSON, nothing as `null`.
 *
 * @throws EvaluationLimit for bytes, which would arrive broken
 */
export function embeddedText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "null";
  if (findBytes(value) !== undefined)
    throw new EvaluationLimit(
      "a text can't contain bytes: give them as the whole body, or as a part of a multipart body",
    );
  return toJson(value) ?? "null";
}
