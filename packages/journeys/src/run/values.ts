import { describeBytes } from "../expressions/bytes.ts";
import { mapBigInts } from "../expressions/exact-json.ts";
import { isDeeperThan } from "../document/json-depth.ts";
import type { KnownSecrets } from "./known-secrets.ts";
import type { Run } from "./state.ts";

/**
 * The nesting up to which a value is shown as it is. A deeper one is shown as JSON text, so that every reader and every
 * request can take the result.
 */
const SHOWN_DEPTH_MAX = 32;
const DEEP_NAMED_MAX = 5;

/** Returns a value for the result: redacted, and cut if it is long. Calls `onDeep` if its depth makes it JSON text. */
export function shownValue(run: Pick<Run, "budget" | "known">, value: unknown, onDeep?: () => void): unknown {
  if (value === undefined || value === null || typeof value === "boolean") return value;
  // Every JSON reader must be able to read the result, so an integer beyond 2^53 is a string.
  const plain = describeBytes(mapBigInts(value, String));
  const max = run.budget.limits.valueChars;
  if (typeof plain === "string") return run.known.redactor.cut(plain, max);
  if (typeof plain !== "object" || plain === null) return run.known.redactor.clean(plain);
  const text = JSON.stringify(plain);
  if (text.length > max) return run.known.redactor.cut(text, max);
  if (!isDeeperThan(text, SHOWN_DEPTH_MAX)) return run.known.redactor.clean(plain);
  onDeep?.();
  return run.known.redactor.cut(text, max);
}

export function shownRecord(
  run: Pick<Run, "budget" | "known">,
  values: Readonly<Record<string, unknown>>,
  onDeep?: (name: string) => void,
): Record<string, unknown> {
  const names = Object.keys(values);
  if (names.length === 0) return {};
  return Object.fromEntries(
    names.map((name) => [name, shownValue(run, values[name], () => onDeep?.(name)) ?? null]),
  );
}

/** Returns the note of a step that says which of its values are JSON text, or nothing if none is. */
export function noteOfDeep(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length - DEEP_NAMED_MAX;
  const listed = names.slice(0, DEEP_NAMED_MAX).join(", ") + (more > 0 ? ` and ${more} more` : "");
  return [`Nested deeper than ${SHOWN_DEPTH_MAX} levels, so shown as JSON text: ${listed}.`];
}

/** The record, or a copy without secrets in the given fields. Field names and the record's own words stay. */
export function cleanFields<T extends object>(
  known: Pick<KnownSecrets, "redactor">,
  record: T,
  fields: readonly (keyof T)[],
): T {
  if (known.redactor.isEmpty()) return record;
  const copy = { ...record };
  for (const field of fields) if (copy[field] !== undefined) copy[field] = known.redactor.clean(copy[field]);
  return copy;
}
