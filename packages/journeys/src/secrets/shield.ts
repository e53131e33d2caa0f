import { isObject } from "@waymark/openapi/json.ts";
import { parseJson, toJson } from "../expressions/exact-json.ts";
import { textsOf } from "./credential-texts.ts";
import { createMadeSecrets } from "./made-secrets.ts";
import type { MadeSecrets } from "./made-secrets.ts";
import { createRedactor } from "./redact.ts";

/** Keeps the secrets that a run is given from the queries, patterns, comparisons and schemas of its documents. */
export interface Shield {
  add: (secrets: readonly string[]) => void;
  /**
   * Returns the value with `[redacted]` in place of each secret, or the value itself where it contains none. An object must not
   * change after that, because the answer is remembered.
   */
  hide: <T>(value: T) => T;
  /**
   * Returns a text that was cut where it came from without its end, which may be half of a secret. A text that was cut behind a line
   * break (`isLine`) ends with half of a secret only if a secret has several lines.
   */
  withoutEnd: (text: string, options?: { isLine?: boolean }) => string;
  /** True if a part of the value is a secret. An object must not change after it was asked about. */
  holdsSecret: (value: unknown) => boolean;
  /**
   * Returns parsed JSON with each secret that is an object or a list as its text again, or the value itself. Its parts can be too
   * short to be found, so it stays in one piece.
   */
  whole: (parsed: unknown) => unknown;
  /** Makes what a function made of secrets a secret, too. Returns whether it is one. */
  made: (values: readonly unknown[], made: readonly string[]) => boolean;
  /** The secrets of which something in a request was made. */
  readonly sources: Pick<MadeSecrets, "secretsIn" | "all">;
  /** Restores what `sources` had. */
  restoreMade: (secret: string, made: readonly string[]) => void;
}

/**
 * Creates the shield of a run. A selector, a pattern or a comparison that sees a secret can tell its characters one by one, and a
 * piece of a secret is not found by a search for it. So they never see one.
 */
export function createShield(forms: (secret: string) => ReadonlySet<string>): Shield {
  const redactor = createRedactor([], forms);
  // A journey asks about the same body many times.
  let known = new WeakMap<object, unknown>();
  let hasLines = false;
  const structures: Structure[] = [];
  const sources = createMadeSecrets(forms);
  const add = (secrets: readonly string[]): void => {
    let isNew = false;
    for (const secret of secrets) {
      hasLines ||= /[\r\n]/.test(secret);
      if (!redactor.add(secret)) continue;
      isNew = true;
      const structure = structureOf(secret);
      if (structure !== undefined) structures.push(structure);
    }
    if (isNew) known = new WeakMap();
  };
  const hide = (value: unknown): unknown => {
    if (redactor.isEmpty()) return value;
    if (typeof value !== "object" || value === null) return redactor.clean(value);
    const found = known.get(value) ?? redactor.clean(value);
    known.set(value, found);
    return found;
  };
  return {
    add: (secrets) => {
      for (const secret of secrets) sources.follow(secret);
      add(secrets);
    },
    hide: (value) => sameShape(hide(value), value),
    withoutEnd: (text, { isLine = false } = {}) =>
      redactor.isEmpty() || (isLine && !hasLines)
        ? text
        : text.slice(0, Math.max(0, text.length - redactor.reach())),
    holdsSecret: (value) => hide(value) !== value,
    whole: (parsed) => (structures.length === 0 ? parsed : inOnePiece(parsed, structures)),
    made: (values, made) => {
      if (redactor.isEmpty() || !sources.note(values, made)) return false;
      add(made);
      return true;
    },
    sources,
    restoreMade: (secret, made) => {
      sources.restore(secret, made);
      add(made);
    },
  };
}

/** A secret that is an object or a list. */
interface Structure {
  text: string;
  parsed: object;
}

function inOnePiece(value: unknown, structures: readonly Structure[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  const secret = structures.find(({ parsed }) => isSameJson(value, parsed));
  if (secret !== undefined) return secret.text;
  let changed = false;
  const entries = Object.entries(value).map(([name, item]): [string, unknown] => {
    const kept = inOnePiece(item, structures);
    changed ||= kept !== item;
    return [name, kept];
  });
  if (!changed) return value;
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

/** Ends at the first difference, so that comparing a large value with a secret is fast. */
function isSameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(other);
  return (
    Object.keys(one).length === names.length &&
    names.every((name) => Object.hasOwn(one, name) && isSameJson(memberOf(one, name), memberOf(other, name)))
  );
}

function memberOf(container: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(container, name)?.value;
}

function structureOf(text: string): Structure | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const parsed = parseJson(text);
    return typeof parsed === "object" && parsed !== null ? { text, parsed } : undefined;
  } catch {
    // It is no JSON.
    return undefined;
  }
}

/** The JSON of a text without the space in it, or the text itself. */
function withoutSpace(text: string): string {
  return toJson(structureOf(text)?.parsed) ?? text;
}

/** Redaction replaces texts by texts. */
function sameShape<T>(cleaned: unknown, _like: T): T;
function sameShape(cleaned: unknown): unknown {
  return cleaned;
}

/**
 * The texts of a secret that a run is given: also those within it where it is JSON, and it without the space around it, because
 * requests and responses contain it so. JSON is searched for without the space in it, too.
 */
export function givenTexts(value: unknown): string[] {
  return textsOf(value).flatMap((text) => [
    ...new Set([text, text.trim(), withoutSpace(text), ...textsWithin(text)]),
  ]);
}

/** A shorter text within a secret is a word such as `type`. */
const PART_LENGTH_MIN = 8;

function textsWithin(text: string): string[] {
  if (!/^\s*[[{"\-\d]/.test(text)) return [];
  try {
    const parsed = parseJson(text);
    const isPart = isObject(parsed) || Array.isArray(parsed);
    return textsOf(parsed).filter((part) => !isPart || part.length >= PART_LENGTH_MIN);
  } catch {
    // It is no JSON.
    return [];
  }
}
