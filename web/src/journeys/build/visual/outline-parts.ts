import { isObject, ownArray } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";

/** The texts of a list. */
export function textsOf(value: JsonValue, key: string): string[] {
  return ownArray(value, key).filter((item) => typeof item === "string");
}

/** The objects of a list, each with its place. */
export function placed(
  holder: JsonValue | undefined,
  key: string,
  pointer: Pointer,
): [JsonObject, Pointer][] {
  const list = childPointer(pointer, key);
  return ownArray(holder, key).flatMap((item, at): [JsonObject, Pointer][] =>
    isObject(item) ? [[item, childPointer(list, at)]] : [],
  );
}
