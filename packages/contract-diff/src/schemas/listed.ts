import { isObject, type JsonValue } from "@waymark/openapi/json.ts";
import type { At } from "../read/description.ts";
import type { SchemaNode } from "../read/node.ts";

/** Returns the schemas in a list, such as those of `allOf`. */
export function listed(node: SchemaNode, keyword: string): SchemaNode[] {
  const { owner } = node;
  const at: At = { value: node.value, file: node.file, pointer: node.pointer };
  const list = owner?.child(at, keyword);
  if (owner === undefined || list === undefined || !Array.isArray(list.value)) return [];
  return list.value.flatMap((item: JsonValue, index) => {
    const child = isObject(item) || typeof item === "boolean" ? owner.child(list, String(index)) : undefined;
    return child === undefined ? [] : [owner.node(child)];
  });
}
