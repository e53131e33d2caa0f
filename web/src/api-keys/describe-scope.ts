import type { ApiKeyScope } from "@waymark/shared/api-keys/schema.ts";

/** A scope in words: its permission, and what it is bound to. */
export function describeScope(scope: ApiKeyScope): string {
  const { permission, id: _id, resourceConstraints, ...constraints } = scope;
  const bounds = [
    ...Object.entries(constraints).filter(([, value]) => value !== null && value !== undefined),
    ...Object.entries(resourceConstraints ?? {}),
  ].map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`);
  const what = permission === "*" ? "everything" : permission;
  return bounds.length === 0 ? what : `${what} (${bounds.join(", ")})`;
}
