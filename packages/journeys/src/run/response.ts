import { isDeeperThan } from "../document/json-depth.ts";
import { Bytes } from "../expressions/bytes.ts";
import { parseJson } from "../expressions/exact-json.ts";
import type { MessageView } from "../expressions/scope.ts";
import { isJson } from "../openapi/body.ts";
import { completePart, openNote } from "./open-stream.ts";
import { isBinary, readText } from "./response-text.ts";
import type { KnownSecrets } from "./known-secrets.ts";
import type { TransportResponse } from "./transport.ts";

/** A response as expressions see it, its body read on first use. */
export interface ResponseView extends MessageView {
  /** The body as text; empty when there is none. */
  text: string;
  mediaType: string;
  /** Sentences for the user about how the body was read. */
  notes: readonly string[];
}

/** The maximum nesting depth of a JSON body: it is walked recursively. */
const BODY_DEPTH_MAX = 500;

/** JSON becomes a structure, and what is neither text nor valid UTF-8 bytes. Everything else is text, also invalid JSON. */
export function viewResponse(
  response: TransportResponse,
  { shield, redactor }: Partial<Pick<KnownSecrets, "shield" | "redactor">> = {},
): ResponseView {
  const headers = headerMap(response.headers);
  const mediaType = headers["content-type"] ?? "";
  const isCut = response.truncated === true;
  const read = readText(response.body, mediaType, { isCut, redactor });
  const isOpen = response.isOpen === true;
  const arrived = isOpen ? completePart(read.text, mediaType) : read.text;
  const safe = isCut && shield !== undefined ? shield.withoutEnd(arrived, { isLine: isOpen }) : arrived;
  const text = isOpen ? completePart(safe, mediaType) : safe;
  const notes = [...read.notes];
  if (isOpen) {
    const isShortened = text.length < arrived.length;
    notes.unshift(openNote({ text, mediaType, bytes: response.body.length, isShortened }));
  }
  let body: { value: unknown } | undefined;
  return {
    headers,
    mediaType,
    text,
    notes,
    get body() {
      if (body === undefined) {
        const value = isBinary(response.body, mediaType)
          ? new Bytes(withoutEnd(response.body, arrived.length - safe.length), { mediaType, isCut })
          : readBody(text, mediaType);
        body = { value: shield === undefined ? value : shield.whole(value) };
      }
      return body.value;
    },
  };
}

/** Returns bytes without those at the end that the last characters of their text may be of, which may be half of a secret. */
function withoutEnd(bytes: Uint8Array, characters: number): Uint8Array {
  return characters === 0
    ? bytes
    : bytes.subarray(0, Math.max(0, bytes.length - characters * UTF8_BYTES_MAX));
}

/** The most bytes of a character in UTF-8. */
const UTF8_BYTES_MAX = 4;

/** Header names in lower case; a header that came more than once is one list, as HTTP reads it. */
function headerMap(list: readonly [string, string][]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of list) {
    const key = name.toLowerCase();
    const before = headers[key];
    headers[key] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}

function readBody(text: string, mediaType: string): unknown {
  if (text === "") return undefined;
  const looksLikeJson = mediaType === "" && /^\s*[[{]/.test(text);
  if (!(isJson(mediaType) || looksLikeJson) || isDeeperThan(text, BODY_DEPTH_MAX)) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
