import { stringify } from "yaml";
import type { JsonObject } from "@waymark/openapi/json.ts";

/** A document that no file holds, such as a base with its overlays applied, as YAML. */
export function composeText(value: JsonObject): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}
