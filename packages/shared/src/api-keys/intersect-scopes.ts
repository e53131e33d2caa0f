import { type ApiKeyScope, EVERY_PERMISSION } from "./schema.ts";
import { intersectServiceIds } from "./service-ids.ts";
import { intersectServiceNames } from "./service-names.ts";

const COMPARED = ["resourceType", "resourceId", "serviceId", "environmentId", "workflowId"] as const;

const LISTS = [
  ["serviceNames", intersectServiceNames],
  ["serviceIds", intersectServiceIds],
] as const;

/**
 * Returns scopes that grant only what both lists grant: for each pair with a common permission, a scope with the constraints of both.
 * It is strict where constraints can't be joined: two different ids, or two lists of names of which a service would meet one by its name
 * and the other by an alias, grant nothing together.
 */
export function intersectScopes(
  first: readonly ApiKeyScope[],
  second: readonly ApiKeyScope[],
): ApiKeyScope[] {
  const joined = first.flatMap((one) => second.flatMap((other) => intersectPair(one, other) ?? []));
  return [...new Map(joined.map((scope) => [JSON.stringify(scope), scope])).values()];
}

function intersectPair(one: ApiKeyScope, other: ApiKeyScope): ApiKeyScope | undefined {
  const permission = commonPermission(one.permission, other.permission);
  if (permission === undefined) return undefined;
  const scope: ApiKeyScope = { permission };
  for (const name of COMPARED) {
    const [wanted, also] = [one[name] ?? undefined, other[name] ?? undefined];
    if (wanted !== undefined && also !== undefined && wanted.toLowerCase() !== also.toLowerCase())
      return undefined;
    const value = wanted ?? also;
    if (value !== undefined) scope[name] = value;
  }
  const constraints = intersectConstraints(one.resourceConstraints ?? {}, other.resourceConstraints ?? {});
  if (Object.keys(constraints).length > 0) scope.resourceConstraints = constraints;
  return scope;
}

function commonPermission(one: string, other: string): string | undefined {
  if (one === other || other === EVERY_PERMISSION) return one;
  return one === EVERY_PERMISSION ? other : undefined;
}

/** Returns lists that match what both match. Constraints besides these lists are never met, so it does not matter which of two stays. */
function intersectConstraints(
  one: Record<string, unknown>,
  other: Record<string, unknown>,
): Record<string, unknown> {
  const joined = { ...one, ...other };
  for (const [name, intersect] of LISTS) {
    if (Object.hasOwn(one, name) && Object.hasOwn(other, name))
      joined[name] = intersect(one[name], other[name]);
  }
  return joined;
}
