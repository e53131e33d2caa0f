import { ownValue } from "../json.ts";
import type { ParsedDocument } from "./parsed-document.ts";

/** Values below these names are schemas and examples, in which an `operationId` is data. */
const DATA = /^(?:schemas?|properties|definitions|examples?|default|enum|const|x-(?!webhooks$).*)$/;
/** Objects with these names contain parts of a description by names of its author's choice, or by a status such as `default`. */
const MAPS = new Set(["paths", "webhooks", "x-webhooks", "callbacks", "responses", "links", "pathItems"]);
const EXTENSION = /^x-/;

const written = new WeakMap<ParsedDocument, Promise<void>>();

/**
 * Turns the ids of operations that YAML reads as numbers or booleans into texts as they are written, in the value of a document. A
 * journey that names operation 007 finds it then.
 */
export function writeIds(document: ParsedDocument): Promise<void> {
  const known = written.get(document) ?? write(document);
  written.set(document, known);
  return known;
}

async function write({ value: root, sourceText }: ParsedDocument): Promise<void> {
  const visited = new Set<object>();
  const stack: { value: unknown; isMap: boolean }[] = [{ value: root, isMap: false }];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const { value, isMap } = at;
    if (typeof value !== "object" || value === null || visited.has(value)) continue;
    visited.add(value);
    const id: unknown = ownValue(value, "operationId");
    if (typeof id === "number" || typeof id === "boolean") {
      Object.assign(value, { operationId: (await sourceText(value, "operationId")) ?? String(id) });
    }
    for (const [key, member] of Object.entries(value)) {
      const isData = isMap ? EXTENSION.test(key) : DATA.test(key);
      if (!isData) stack.push({ value: member, isMap: !isMap && MAPS.has(key) });
    }
  }
}
