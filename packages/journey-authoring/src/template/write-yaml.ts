import { stringify } from "yaml";
import type { JsonValue } from "@waymark/openapi/json.ts";

/** YAML for a brand-new file; existing files are only ever patched. */
export function newYaml(value: JsonValue): string {
  return stringify(value, { version: "1.2", lineWidth: 0, aliasDuplicateObjects: false });
}
