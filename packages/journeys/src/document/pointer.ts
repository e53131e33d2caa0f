import { isObject } from "./json.ts";
import type { JsonValue } from "./json.ts";

/** A JSON Pointer (RFC 6901) as text; `""` is the whole document. */
export type Pointer = string;

export function childPointer(parent: Pointer, key: string | number): Pointer {
  return `${parent}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

export function pointerOf(path: readonly (string | number)[]): Pointer {
  return path.reduce<Pointer>(childPointer, "");
}

/** The unescaped parts. A text that is neither empty nor begins with `/` has no parts: it names nothing. */
export function pointerParts(pointer: Pointer): string[] {
  if (!pointer.startsWith("/")) return [];
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function parentPointer(pointer: Pointer): Pointer {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf("/")));
}

/** The value at a pointer; undefined where there is none. Looks at own properties only. */
export function valueAt(root: JsonValue | undefined, pointer: Pointer): JsonValue | undefined {
  if (pointer !== "" && !pointer.startsWith("/")) return undefined;
  let value: JsonValue | undefined = root;
  for (const part of pointerParts(pointer)) {
    if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(part) ? value[Number(part)] : undefined;
    else if (isObject(value) && Object.hasOwn(value, part)) value = value[part];
    else return undefined;
  }
  return value;
}
