import { ownValue } from "./json.ts";
import type { JsonValue } from "./json.ts";

/** A JSON Pointer (RFC 6901) as text; `""` is the whole document. */
export type Pointer = string;

/** The unescaped reference tokens, or undefined if the text is not a pointer. */
export function decodePointer(text: string): string[] | undefined {
  if (text === "") return [];
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return undefined;
  return text.slice(1).split("/").map(decodeToken);
}

function decodeToken(token: string): string {
  return token.includes("~") ? token.replaceAll("~1", "/").replaceAll("~0", "~") : token;
}

export function encodePointer(tokens: readonly (string | number)[]): Pointer {
  return tokens.map((token) => `/${escapeToken(String(token))}`).join("");
}

export function escapeToken(token: string): string {
  return token.includes("~") || token.includes("/")
    ? token.replaceAll("~", "~0").replaceAll("/", "~1")
    : token;
}

export function childPointer(parent: Pointer, key: string | number): Pointer {
  return `${parent}/${escapeToken(String(key))}`;
}

export function parentPointer(pointer: Pointer): Pointer {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf("/")));
}

/** The value at these tokens; undefined if there is none. Reads own properties only. */
export function resolvePointer(value: unknown, tokens: readonly string[]): unknown {
  let current = value;
  for (const token of tokens) {
    current = ownValue(current, token);
    if (current === undefined) return undefined;
  }
  return current;
}

/** The value at a pointer; undefined if there is none. */
export function valueAt(root: JsonValue | undefined, pointer: Pointer): JsonValue | undefined {
  let current = root;
  for (const token of decodePointer(pointer) ?? [undefined]) {
    if (token === undefined) return undefined;
    current = ownValue(current, token);
  }
  return current;
}
