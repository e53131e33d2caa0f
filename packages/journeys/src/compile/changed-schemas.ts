import { jsonEqual } from "@waymark/openapi/json.ts";
import { escapeToken } from "@waymark/openapi/pointer.ts";

type Schemas = Readonly<Record<string, unknown>>;

/**
 * Returns the schemas of the second table that differ from the first table's, themselves or by a schema that they refer to, directly or
 * not. They are named by the text of a reference to them.
 */
export function changedSchemas(before: Schemas, after: Schemas): Set<string> {
  const users = new Map<string, string[]>();
  const waiting: string[] = [];
  for (const [key, schema] of Object.entries(after)) {
    const reference = referenceTo(key);
    for (const used of referencesIn(schema)) {
      const known = users.get(used);
      if (known === undefined) users.set(used, [reference]);
      else known.push(reference);
    }
    if (!Object.hasOwn(before, key) || !jsonEqual(before[key], schema)) waiting.push(reference);
  }
  const changed = new Set<string>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (changed.has(next)) continue;
    changed.add(next);
    for (const user of users.get(next) ?? []) waiting.push(user);
  }
  return changed;
}

/** Lists the references in a schema, as they are written. */
export function referencesIn(schema: unknown): Set<string> {
  const references = new Set<string>();
  const waiting = [schema];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== "object" || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      if (key === "$ref" && typeof member === "string") references.add(member);
      else waiting.push(member);
    }
  }
  return references;
}

function referenceTo(key: string): string {
  return `#/$defs/${encodeURIComponent(escapeToken(key))}`;
}
