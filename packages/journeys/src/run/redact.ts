import { isObject } from "@waymark/openapi/json.ts";

const PLACEHOLDER = "[redacted]";
/** Below this length the encoded forms are so short that they would be found everywhere. */
const ENCODED_LENGTH_MIN = 4;

/** Removes secret values from whatever leaves the runner. */
export interface Redactor {
  /** A copy without the secrets, or the value itself where there are none in it. */
  clean: <T>(value: T) => T;
  /** How many have been replaced so far. */
  count: () => number;
  /** Longest form that is looked for: a text that is cut may end in the middle of one. */
  longest: number;
}

/**
 * Makes a redactor for secret values. Each is found raw and as JSON (also within a JSON string), in URLs and forms, base64
 * at every alignment, base64url, and hexadecimal.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  return compileRedactor(secrets)();
}

/** As `createRedactor`, for many redactors of the same secrets: each counts for itself. */
export function compileRedactor(secrets: readonly string[]): () => Redactor {
  const forms = [...new Set(secrets.filter((secret) => secret !== "").flatMap(formsOf))].toSorted(
    (a, b) => b.length - a.length,
  );
  if (forms.length === 0) return () => ({ clean: (value) => value, count: () => 0, longest: 0 });
  const pattern = new RegExp(forms.map(escape).join("|"), "g");
  return () => redactorOf(pattern, forms[0]?.length ?? 0);
}

function redactorOf(pattern: RegExp, longest: number): Redactor {
  let replaced = 0;
  const cleanText = (text: string): string => {
    pattern.lastIndex = 0;
    if (!pattern.test(text)) return text;
    return text.replaceAll(pattern, () => {
      replaced++;
      return PLACEHOLDER;
    });
  };
  const visit = (value: unknown): unknown => {
    if (typeof value === "string") return cleanText(value);
    if (typeof value === "number" || typeof value === "bigint") {
      const text = String(value);
      const cleaned = cleanText(text);
      return cleaned === text ? value : cleaned;
    }
    if (Array.isArray(value)) return visitArray(value, visit);
    return isObject(value) ? visitRecord(value, { visit, cleanText }) : value;
  };
  return {
    clean: (value) => sameShape(visit(value), value),
    count: () => replaced,
    longest,
  };
}

/** Redaction replaces text by text (and a number that is a secret by text), so the shape is what it was. */
function sameShape<T>(cleaned: unknown, _like: T): T;
function sameShape(cleaned: unknown): unknown {
  return cleaned;
}

function visitArray(value: unknown[], visit: (value: unknown) => unknown): unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, item] of value.entries()) {
    const cleaned = visit(item);
    if (cleaned === item) continue;
    copy ??= [...value];
    copy[index] = cleaned;
  }
  return copy ?? value;
}

function visitRecord(
  value: Record<string, unknown>,
  { visit, cleanText }: { visit: (value: unknown) => unknown; cleanText: (text: string) => string },
): Record<string, unknown> {
  let changed = false;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const cleaned: [string, unknown] = [cleanText(key), visit(item)];
    changed ||= cleaned[0] !== key || cleaned[1] !== item;
    return cleaned;
  });
  return changed ? Object.fromEntries(entries) : value;
}

function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const ascii = json.replaceAll(/[^\x20-\x7e]/gu, (char) =>
    char
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
  const again = JSON.stringify(json).slice(1, -1);
  const texts = [secret, json, ascii, again, JSON.stringify(again).slice(1, -1), json.replaceAll("/", "\\/")];
  if (secret.length < ENCODED_LENGTH_MIN) return texts;
  const url = secret.isWellFormed() ? encodeURIComponent(secret) : secret;
  const strict = url.replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const urls = [url, strict, encodeURI(secret.toWellFormed())];
  const forms = urls.map((text) => text.replaceAll("%20", "+"));
  const encoded = [...urls, ...forms];
  const lower = encoded.map((text) => text.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()));
  const bytes = new TextEncoder().encode(secret);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [...texts, ...encoded, ...lower, ...base64Forms(bytes), hex, hex.toUpperCase()];
}

/** In base64 a value looks different at each of three alignments; at both ends bits of its neighbours are mixed in. */
function base64Forms(bytes: Uint8Array): string[] {
  const forms: string[] = [];
  for (const offset of [0, 1, 2]) {
    const padded = new Uint8Array(offset + bytes.length);
    padded.set(bytes, offset);
    const text = toBase64(padded);
    const from = [0, 2, 3][offset] ?? 0;
    const whole = Math.floor(((offset + bytes.length) * 8) / 6);
    forms.push(text.slice(from, whole));
  }
  forms.push(toBase64(bytes));
  const kept = forms.filter((form) => form.length >= ENCODED_LENGTH_MIN);
  return [...kept, ...kept.map((form) => form.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""))];
}

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}
