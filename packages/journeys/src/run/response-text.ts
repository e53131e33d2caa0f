import { isJson, isXml } from "../openapi/body.ts";
import type { Redactor } from "../secrets/redact.ts";
import { firstInvalid } from "./first-invalid.ts";

/** The text of a response's body, and sentences for the user about how it was read. */
export interface ResponseText {
  text: string;
  notes: string[];
}

/** How a body is read: by an encoding of the Encoding Standard. */
interface Reading {
  encoding: string;
  /** True if the body itself or Content-Type names the encoding. */
  isNamed: boolean;
  notes: string[];
}

const UTF8 = "utf-8";
/** So many bytes of a page are searched for its `meta`, as browsers do. */
const META_BYTES = 1_024;
const LABEL_CHARS_MAX = 40;

/**
 * Reads a body as text: a byte order mark decides, then the charset of Content-Type, then the declaration of XML or the `meta` of
 * HTML, else it is UTF-8. JSON is always UTF-8 (RFC 8259), and UTF-16 only if no UTF-8 begins so. `isCut` says that more bytes
 * followed: the beginning of a character at the end is left out.
 */
export function readText(
  bytes: Uint8Array,
  mediaType: string,
  { isCut = false, redactor }: { isCut?: boolean; redactor?: Redactor | undefined } = {},
): ResponseText {
  if (bytes.length === 0) return { text: "", notes: [] };
  const reading = isJson(mediaType) ? readingOfJson(bytes) : readingOfText(bytes, mediaType);
  const text = decode(bytes, reading.encoding, isCut);
  if (redactor !== undefined && hidesSecret(bytes, text, { encoding: reading.encoding, redactor })) {
    const note = `The body of the response contains a secret, so it was read as UTF-8 instead of ${reading.encoding}.`;
    return { text: decode(bytes, UTF8, isCut), notes: [note] };
  }
  const fault =
    isText(mediaType) || reading.isNamed
      ? faultOf(bytes, text, { encoding: reading.encoding, isCut })
      : undefined;
  if (fault === undefined) return { text, notes: reading.notes };
  return { text, notes: [...reading.notes, `${fault} ${adviceOn(mediaType, reading)}`] };
}

/** True if a body of this media type is shown as text. A body without Content-Type is. */
export function isText(mediaType: string): boolean {
  return (
    mediaType === "" ||
    isJson(mediaType) ||
    isXml(mediaType) ||
    /^(?:text\/|multipart\/form-data|application\/(?:x-www-form-urlencoded|(?:x-)?javascript|ecmascript|graphql|sql|(?:x-)?(?:ndjson|yaml)|(?:x-)?jsonl(?:ines)?|json-seq|[\w.+-]+\+yaml)(?:\s*[;,]|$))/i.test(
      mediaType,
    )
  );
}

/**
 * True if a body would not be the same any more as text: its media type is not one of text, names no charset, and the bytes are no
 * UTF-8 or have a byte order mark, which reading removes.
 */
export function isBinary(bytes: Uint8Array, mediaType: string): boolean {
  if (isText(mediaType) || charsetOf(mediaType) !== undefined) return false;
  return byteOrderMark(bytes) === UTF8 || !isValid(bytes, UTF8, false);
}

function readingOfJson(bytes: Uint8Array): Reading {
  // The first characters of JSON are ASCII, and UTF-8 has no byte 0.
  const encoding = byteOrderMark(bytes) ?? zerosOf(bytes) ?? UTF8;
  if (encoding === UTF8) return { encoding, isNamed: false, notes: [] };
  const note =
    "The body of the response is JSON in UTF-16. It was read, but JSON is sent in UTF-8 (RFC 8259).";
  return { encoding, isNamed: true, notes: [note] };
}

function readingOfText(bytes: Uint8Array, mediaType: string): Reading {
  const given = charsetOf(mediaType);
  const canBeText = isText(mediaType) || given !== undefined;
  const mark = canBeText ? byteOrderMark(bytes) : undefined;
  if (mark !== undefined) return { encoding: mark, isNamed: true, notes: [] };
  const label = given ?? declaredIn(bytes, mediaType);
  if (label === undefined) return { encoding: UTF8, isNamed: false, notes: [] };
  const encoding = encodingOf(label);
  if (encoding !== undefined) return { encoding, isNamed: true, notes: [] };
  const shown = label.length > LABEL_CHARS_MAX ? `${label.slice(0, LABEL_CHARS_MAX)}…` : label;
  const note = `The charset "${shown}" of the response is not known, so its body was read as UTF-8.`;
  return { encoding: UTF8, isNamed: false, notes: [note] };
}

function charsetOf(mediaType: string): string | undefined {
  const found = /;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;,"']+))/i.exec(mediaType);
  return (found?.[1] ?? found?.[2] ?? found?.[3])?.trim() || undefined;
}

function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return UTF8;
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : undefined;
}

/** The encoding of a text that begins with an ASCII character in two bytes. */
function zerosOf([first, second]: Uint8Array): string | undefined {
  if (first === 0 && second !== 0 && second !== undefined) return "utf-16be";
  return second === 0 && first !== 0 ? "utf-16le" : undefined;
}

/** The encoding that an XML declaration or a page's `meta` names. */
function declaredIn(bytes: Uint8Array, mediaType: string): string | undefined {
  const isPage = /^text\/html(?:\s*[;,]|$)/i.test(mediaType);
  if (!isPage && !isXml(mediaType)) return undefined;
  if (!isPage && bytes.includes(0x3c) && zerosOf(bytes) !== undefined) return zerosOf(bytes);
  const start = decode(bytes.subarray(0, META_BYTES), "latin1", false);
  const found = isPage
    ? /<meta\s[^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(start.replaceAll(/<!--[^]*?(?:-->|$)/g, ""))
    : /^<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/.exec(start);
  const label = found?.[1];
  // The declaration could not have been read in UTF-16.
  return label !== undefined && encodingOf(label)?.startsWith("utf-16") === true ? UTF8 : label;
}

function encodingOf(label: string): string | undefined {
  if (/^utf-?8$/i.test(label)) return UTF8;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder(UTF8);

function decode(bytes: Uint8Array, encoding: string, isCut: boolean): string {
  if (!isCut && encoding === UTF8) return utf8.decode(bytes);
  return new TextDecoder(encoding).decode(bytes, { stream: isCut });
}

/**
 * True if the bytes contain a secret that the text does not show. Encodings in which an ASCII byte can be a part of another character
 * turn a secret into a text in which the redactor does not find it, but from which anybody can compute it.
 */
function hidesSecret(
  bytes: Uint8Array,
  text: string,
  { encoding, redactor }: { encoding: string; redactor: Redactor },
): boolean {
  if (redactor.isEmpty() || !/^(?:utf-16|iso-2022|shift_jis|big5|gb|euc-)/.test(encoding)) return false;
  const found = (value: string): number => {
    const before = redactor.count();
    redactor.clean(value);
    return redactor.count() - before;
  };
  return found(utf8.decode(bytes)) > found(text);
}

/** The first byte that is not valid in the encoding, in a sentence. */
function faultOf(
  bytes: Uint8Array,
  text: string,
  { encoding, isCut }: { encoding: string; isCut: boolean },
): string | undefined {
  if (!text.includes("\uFFFD")) return undefined;
  if (encoding !== UTF8)
    return isValid(bytes, encoding, isCut)
      ? undefined
      : `The body of the response is not valid ${encoding}: what can't be read is shown as U+FFFD.`;
  const at = firstInvalid(bytes, text)?.byte;
  if (at === undefined) return undefined;
  const byte = (bytes[at] ?? 0).toString(16).padStart(2, "0").toUpperCase();
  return `The body of the response is not valid UTF-8: its byte ${at + 1} is 0x${byte}, and what can't be read is shown as U+FFFD.`;
}

function isValid(bytes: Uint8Array, encoding: string, isCut: boolean): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isCut });
    return true;
  } catch {
    return false;
  }
}

function adviceOn(mediaType: string, { isNamed }: Reading): string {
  if (isJson(mediaType)) return "JSON is sent in UTF-8, whatever Content-Type says (RFC 8259).";
  return isNamed
    ? "The server names an encoding that the body does not have."
    : "The server has to name the charset in Content-Type.";
}
