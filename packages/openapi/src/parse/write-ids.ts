import { ownValue } from "../json.ts";
import type { ParsedDocument } from "./parsed-document.ts";

/** Values below these names are schemas and examples, in which an `operationId` is data. */
const DATA = /^(?:schemas?|properties|definitions|examples?|default|enum|const|x-.*)$/;

/**
 * Turns the ids of operations that YAML reads as numbers or booleans into texts as they are written, in the value of a document. A
 * journey that names operation 007 finds it then.
 */
export async function writeIds({ value: root, sourceText }: ParsedDocument): Promise<void> {
  const visited = new Set<object>();
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== "object" || value === null || visited.has(value)) continue;
    visited.add(value);
    const id: unknown = ownValue(value, "operationId");
    if (typeof id === "number" || typeof id === "boolean" || id instanceof Date) {
      Object.assign(value, { operationId: (await sourceText(value, "operationId")) ?? String(id) });
    }
    for (const [key, member] of Object.entries(value)) if (!DATA.test(key)) stack.push(member);
  }
}
