import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { uniqueSlug, variableName } from "../template/names.ts";
import { masked } from "./secret-shapes.ts";

/** A journey created from another tool's file, with notes for its review. */
export type ImportResult =
  | { ok: true; text: string; steps: number; notes: string[] }
  | { ok: false; message: string };

/** A recorded request as a step, with the response it got. */
export interface RecordedStep {
  step: JsonObject;
  response: JsonValue | undefined;
}

export const STEPS_MAX = 1000;
const DEPTH_MAX = 60;
const SECRETS_MAX = 500;
const SENSITIVE =
  /authorization|cookie|token|secret|password|passwd|api[-_]?key|session|credential|signature/i;

/** The state of an import while it walks the foreign file. */
export interface Importing {
  notes: Set<string>;
  stepIds: Set<string>;
  inputs: Map<string, JsonObject>;
  secrets: Map<string, string>;
  vars: Map<string, JsonValue>;
  /** The input of each secret value, so that one token becomes one input. The values are not written anywhere. */
  known: Map<string, string>;
  /** Values of variables that are declared as inputs when something uses them. */
  defaults: Map<string, JsonObject>;
  /** Expressions of variables that an earlier step sets. */
  links: Map<string, string>;
  /** Secrets that a response of the recording gave, with the reference to them. */
  given: Map<string, { by: number; reference: () => string }>;
  /** The index of the current step; only earlier steps can provide values for it. */
  at: number;
  /** The number of characters that may still be searched: a journey has at most 4 million. */
  textLeft: number;
  /** Outputs that steps get for it, by stepId. */
  outputs: Map<string, JsonObject>;
}

export function startImport(): Importing {
  return {
    notes: new Set(),
    stepIds: new Set(),
    inputs: new Map(),
    secrets: new Map(),
    vars: new Map(),
    known: new Map(),
    defaults: new Map(),
    links: new Map(),
    given: new Map(),
    at: 0,
    textLeft: 4_000_000,
    outputs: new Map(),
  };
}

export function isSensitive(name: string): boolean {
  return SENSITIVE.test(name);
}

/** Replaces a secret by an input, and returns the expression for it. The value isn't kept. */
export function secretInput(importing: Importing, name: string, value: string): string {
  const before = importing.known.get(value);
  if (before !== undefined) return `$inputs.${before}`;
  const given = importing.given.get(value);
  if (given !== undefined && given.by < importing.at) return given.reference();
  if (importing.known.size >= SECRETS_MAX) {
    importing.notes.add(
      `There are more than ${SECRETS_MAX} secrets; those beyond it share the input secret-more.`,
    );
    declareSecret(importing, "secret-more");
    return "$inputs.secret-more";
  }
  const input = uniqueSlug(masked(name), new Set(importing.inputs.keys()), "secret");
  importing.known.set(value, input);
  declareSecret(importing, input);
  importing.notes.add(
    `${masked(name).slice(0, 100)} is a secret: it is now the input ${input}, read from ${importing.secrets.get(input)}.`,
  );
  return `$inputs.${input}`;
}

export function declareSecret(importing: Importing, input: string): void {
  importing.inputs.set(input, { type: "string", format: "password" });
  importing.secrets.set(input, `env:${variableName(input)}`);
}

/** A header's value without its secret; the scheme before a credential stays. */
export function secretHeader(importing: Importing, name: string, value: string): string {
  const scheme = /^(Bearer|Basic|Token|ApiKey)\s+(.+)$/i.exec(value);
  if (scheme?.[2] === undefined) return secretInput(importing, name, value);
  return `${scheme[1]} {${secretInput(importing, name, scheme[2])}}`;
}

/** A copy without the members that a journey can't contain, and with inputs instead of secrets. */
export function safePayload(importing: Importing, value: JsonValue, depth = 0): JsonValue {
  if (depth > DEPTH_MAX) {
    importing.notes.add(`A body is nested more than ${DEPTH_MAX} levels deep; what is deeper was left out.`);
    return null;
  }
  if (Array.isArray(value)) return value.map((item) => safePayload(importing, item, depth + 1));
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    importing.notes.add("A whole number that can't be kept exactly is now a text.");
    return BigInt(value).toString();
  }
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (key === "__proto__") continue;
    const hidden =
      typeof member === "string" &&
      member !== "" &&
      !/^\$(?:inputs|vars|steps)\.[\w.-]+$|\{\$inputs\.[\w.-]+\}/.test(member) &&
      isSensitive(key);
    copy[key] = hidden ? secretInput(importing, key, member) : safePayload(importing, member, depth + 1);
  }
  return copy;
}

/** A text that isn't parsed may contain an undetected secret. */
export function warnOfText(importing: Importing, text: string, what: string): void {
  if (isSensitive(text))
    importing.notes.add(`${what} is taken over as text and may hold a secret; look through it.`);
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"];

/** The method as `x-operation` has it; undefined for one it doesn't know. */
export function knownMethod(method: string): string | undefined {
  const upper = method.toUpperCase();
  return METHODS.includes(upper) ? upper : undefined;
}

/** JSON of a foreign tool; these files are too big for the YAML reader. */
export function foreignJson(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
