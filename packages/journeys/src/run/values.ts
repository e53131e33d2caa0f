import { mapBigInts } from "../expressions/exact-json.ts";
import { isDeeperThan } from "../document/json-depth.ts";
import type { Run } from "./state.ts";

/** What is nested deeper is shown as JSON text, so that every reader and every request can take the result. */
const SHOWN_DEPTH_MAX = 32;

/** A value for the result: redacted, and cut if it is long. */
export function shownValue(run: Run, value: unknown): unknown {
  if (value === undefined || value === null || typeof value === "boolean") return value;
  // Every JSON reader must be able to read the result, so an integer beyond 2^53 is a string.
  const plain = mapBigInts(value, String);
  const max = run.limits.valueChars;
  if (typeof plain === "string") return run.redactor.cut(plain, max);
  if (typeof plain !== "object" || plain === null) return run.redactor.clean(plain);
  const text = JSON.stringify(plain);
  return text.length > max || isDeeperThan(text, SHOWN_DEPTH_MAX)
    ? run.redactor.cut(text, max)
    : run.redactor.clean(plain);
}

export function shownRecord(run: Run, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = Object.keys(values);
  if (names.length === 0) return {};
  return Object.fromEntries(names.map((name) => [name, shownValue(run, values[name]) ?? null]));
}

/** The record, or a copy without secrets in the given fields. Field names and the record's own words stay. */
export function cleanFields<T extends object>(
  run: Pick<Run, "redactor">,
  record: T,
  fields: readonly (keyof T)[],
): T {
  if (run.redactor.isEmpty()) return record;
  const copy = { ...record };
  for (const field of fields) if (copy[field] !== undefined) copy[field] = run.redactor.clean(copy[field]);
  return copy;
}
