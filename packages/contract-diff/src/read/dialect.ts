import { isObject, type JsonValue } from "@waymark/openapi/json.ts";
import type { Dialect } from "./node.ts";

/** Returns the rules that a description is read by. @param version the text of its field `openapi`; empty if it has none */
export function dialectOf(root: JsonValue, version: string): Dialect {
  if (isObject(root) && Object.hasOwn(root, "swagger")) return "2.0";
  return version.startsWith("3.0") ? "3.0" : "3.1";
}
