import { toBase64 } from "../expressions/to-base64.ts";
import { encodeUnreserved } from "@waymark/openapi/percent-encoding.ts";
import { unescapeOnce } from "./unescape-once.ts";

/** How many layers of escapes are undone, in secrets and in searched texts. */
export const LAYERS_MAX = 6;

/** The layers in which a function leaves a secret: requests and responses, which have it then, add more. */
const LAYERS_KEPT_MAX = 3;

/** Shorter encoded forms would match everywhere. */
const FORM_LENGTH_MIN = 4;

/**
 * The texts that a secret is found by once escapes are undone: itself, and it in base64, base64url and hexadecimal, each
 * also of what JSON and URLs make of it.
 */
export function formsOf(secret: string): Set<string> {
  const forms = new Set<string>();
  for (const text of unescapedForms(secret)) {
    forms.add(text);
    // A form writes a space as a plus.
    forms.add(text.replaceAll(" ", "+"));
  }
  for (const text of writtenForms(secret)) {
    const bytes = new TextEncoder().encode(text);
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    for (const form of [...base64Forms(bytes), hex, hex.toUpperCase()]) forms.add(form);
  }
  const encoded = toBase64(new TextEncoder().encode(secret)).replace(/=+$/, "");
  for (const form of base64Forms(new TextEncoder().encode(encoded))) forms.add(form);
  return new Set([...forms].filter((form) => form.length >= FORM_LENGTH_MIN));
}

/** Whether a text has so many layers of escapes that a search may not find a secret in what contains the text. */
export function isEscapedDeeply(text: string): boolean {
  let layer = unescapeOnce(text);
  for (let depth = 0; layer !== undefined && depth < LAYERS_KEPT_MAX; depth++)
    layer = unescapeOnce(layer.text);
  return layer !== undefined;
}

/** A secret may contain what looks like an escape. After unescaping, a text contains it without that. */
function unescapedForms(secret: string): string[] {
  const forms = [secret];
  for (let text = unescapeOnce(secret)?.text; text !== undefined && forms.length < LAYERS_MAX;) {
    forms.push(text);
    text = unescapeOnce(text)?.text;
  }
  return forms;
}

function writtenForms(secret: string): Set<string> {
  const json = JSON.stringify(secret).slice(1, -1);
  const ascii = json.replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const url = encodeURIComponent(secret.toWellFormed());
  const strict = encodeUnreserved(secret);
  const urls = [url, strict].flatMap((text) => [text, text.replaceAll("%20", "+")]);
  return new Set([secret, json, ascii, json.replaceAll("/", "\\/"), ...urls]);
}

/** In base64 a value looks different at each of three alignments; at both ends bits of its neighbours are mixed in. */
function base64Forms(bytes: Uint8Array): string[] {
  const forms: string[] = [];
  for (const offset of [0, 1, 2]) {
    const padded = new Uint8Array(offset + bytes.length);
    padded.set(bytes, offset);
    const from = [0, 2, 3][offset] ?? 0;
    forms.push(toBase64(padded).slice(from, Math.floor(((offset + bytes.length) * 8) / 6)));
  }
  // Including the last characters, which belong to the secret only if nothing follows.
  forms.push(toBase64(bytes), toBase64(bytes).replace(/=+$/, ""));
  return [...forms, ...forms.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))];
}
