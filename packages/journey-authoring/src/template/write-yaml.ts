import { Document, isScalar, visit } from "yaml";
import type { JsonValue } from "@waymark/openapi/json.ts";

/** YAML for a new file. Existing files are only patched. */
export function newYaml(value: JsonValue): string {
  const document = new Document(value, { version: "1.2", aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_key, node) => {
      // Its digits would say more than a number keeps, and a document with such digits is refused.
      if (isScalar(node) && Number.isInteger(node.value) && !Number.isSafeInteger(node.value))
        node.format = "EXP";
    },
  });
  return document.toString({ lineWidth: 0 });
}
