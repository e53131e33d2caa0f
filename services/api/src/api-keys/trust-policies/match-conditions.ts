import type { TrustPolicy } from "@waymark/shared/api-keys/trust-policies/schema.ts";

export type Conditions = TrustPolicy["conditions"];
/** The claims of a token whose signature was verified. */
export type Claims = Readonly<Record<string, unknown>>;

/** The claims of a policy's conditions that a token does not meet. */
export function unmetClaims(conditions: Conditions, claims: Claims): string[] {
  return Object.entries(conditions).flatMap(([name, accepted]) =>
    isMet(accepted, claimValues(claims, name)) ? [] : [name],
  );
}

function isMet(accepted: string | readonly string[], values: readonly string[]): boolean {
  const patterns = [accepted].flat();
  return values.some((value) => patterns.some((pattern) => matchesPattern(value, pattern)));
}

/** Returns the values of a claim as text: one, those of a list, or none. A name that begins with / is a JSON pointer. */
export function claimValues(claims: Claims, name: string): string[] {
  const value = name.startsWith("/") ? atPointer(claims, name) : ownValue(claims, name);
  return [value].flat().flatMap((item: unknown) => (isScalar(item) ? [String(item)] : []));
}

function atPointer(claims: Claims, pointer: string): unknown {
  const names = pointer.slice(1).split("/");
  return names.reduce<unknown>(
    (at, name) => ownValue(at, name.replaceAll("~1", "/").replaceAll("~0", "~")),
    claims,
  );
}

function ownValue(at: unknown, name: string): unknown {
  if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
  return new Map<string, unknown>(Object.entries(at)).get(name);
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** True if a text matches a pattern, in which * stands for any characters. Takes no longer than reading both a few times. */
export function matchesPattern(value: string, pattern: string): boolean {
  const [start = "", ...rest] = pattern.split("*");
  const end = rest.pop();
  if (end === undefined) return value === pattern;
  if (value.length < start.length + end.length || !value.startsWith(start) || !value.endsWith(end))
    return false;
  let at = start.length;
  const limit = value.length - end.length;
  for (const part of rest) {
    const found = value.indexOf(part, at);
    if (found === -1 || found + part.length > limit) return false;
    at = found + part.length;
  }
  return true;
}
