import type { ApiKeyScope } from "@waymark/shared/api-keys/schema.ts";

/** A scope as text: its permission and its constraints. */
export function describeScope(scope: ApiKeyScope): string {
  const bounds = boundsOf(scope);
  const what = scope.permission === "*" ? "everything" : scope.permission;
  return bounds === "" ? what : `${what}, only for ${bounds}`;
}

/** A key's scopes in one line: the number of permissions, and the constraint that all of them share. */
export function summarizeScopes(scopes: readonly ApiKeyScope[]): string {
  const [first, ...others] = scopes;
  if (first === undefined) return "nothing";
  const bounds = new Set(scopes.map(boundsOf));
  const what = first.permission === "*" ? "everything" : first.permission;
  const all = others.length === 0 ? what : `${what} and ${others.length} more`;
  if (bounds.size > 1) return `${all}, with constraints`;
  const [bound = ""] = bounds;
  return bound === "" ? all : `${all}, only for ${bound}`;
}

function boundsOf({
  permission: _permission,
  id: _id,
  resourceConstraints,
  ...constraints
}: ApiKeyScope): string {
  const bounds = [
    ...Object.entries(constraints).filter(([, value]) => value !== null && value !== undefined),
    ...Object.entries(resourceConstraints ?? {}),
  ];
  return bounds.map(([name, value]) => describeBound(name, value)).join("; ");
}

function describeBound(name: string, value: unknown): string {
  // Service names need no label.
  if (name === "serviceNames" && Array.isArray(value)) return value.join(", ");
  return `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`;
}
