import { isObject } from "@waymark/openapi/json.ts";
import { writeIds } from "@waymark/openapi/parse/write-ids.ts";
import type { SpecReading } from "./read-spec.ts";

/**
 * Turns what YAML reads as a number or a boolean into text, where a scan takes it as it is written: `openapi: 3.0` is the number 3, which
 * JSON would keep.
 */
export async function writeIdentity({ document, documents, spec }: SpecReading): Promise<void> {
  for (const each of [document, ...documents]) await writeIds(each);
  const root = document.value;
  if (!isObject(root)) return;
  for (const field of ["openapi", "swagger"]) {
    const text = await document.sourceText(root, field);
    if (text !== undefined && Object.hasOwn(root, field)) Object.assign(root, { [field]: text });
  }
  const { info } = root;
  if (!isObject(info)) return;
  for (const field of ["version", "title"] as const) {
    const text = spec[field];
    if (text !== undefined && typeof info[field] !== "string") Object.assign(info, { [field]: text });
  }
}
