// The rule of docs/api-keys.md, written again without the product's code: each permission is needed for its own resource.

export interface PlainScope {
  permission: string;
  serviceId?: string | null;
  environmentId?: string | null;
  workflowId?: string | null;
  resourceType?: string | null;
  resourceId?: string | null;
  resourceConstraints?: Record<string, unknown>;
}

/** A resource that a request accesses, with those of these properties that it has. */
export interface PlainResource {
  service?: { id?: string; name: string };
  environment?: string;
  workflow?: string;
  /** A key; without an id, keys in general. */
  apiKey?: { id?: string };
  /** Things in general: a list meets the type of what it lists. */
  listOf?: readonly ("service" | "environment" | "workflow")[];
}

const same = (wanted: string, shown: string | undefined) => wanted.toLowerCase() === shown?.toLowerCase();

/** True if the scope has the permission, and the resource meets each of its constraints. */
export function meets(scope: PlainScope, permission: string, resource: PlainResource): boolean {
  if (scope.permission !== permission && scope.permission !== "*") return false;
  const { service, environment, workflow, apiKey, listOf } = resource;
  const wants = (wanted: string | null | undefined, shown: string | undefined) =>
    wanted === undefined || wanted === null || same(wanted, shown);
  if (!wants(scope.serviceId, service?.id)) return false;
  if (!wants(scope.environmentId, environment)) return false;
  if (!wants(scope.workflowId, workflow)) return false;
  const kinds: [string, string | undefined][] = [];
  if (service !== undefined) kinds.push(["service", service.id]);
  if (environment !== undefined) kinds.push(["environment", environment]);
  if (workflow !== undefined) kinds.push(["workflow", workflow]);
  if (apiKey !== undefined) kinds.push(["api_key", apiKey.id]);
  for (const type of listOf ?? []) kinds.push([type, undefined]);
  const limited = [scope.resourceType, scope.resourceId].some(
    (value) => value !== undefined && value !== null,
  );
  if (limited && !kinds.some(([type, id]) => wants(scope.resourceType, type) && wants(scope.resourceId, id)))
    return false;
  return Object.entries(scope.resourceConstraints ?? {}).every(
    ([name, value]) => name === "serviceNames" && service !== undefined && isNamed(value, service.name),
  );
}

function isNamed(patterns: unknown, name: string): boolean {
  if (!Array.isArray(patterns)) return false;
  return patterns.some((pattern: unknown) => {
    if (typeof pattern !== "string") return false;
    const [start = "", ...rest] = pattern.split("*");
    return rest.length === 0 ? name === start : rest.length === 1 && rest[0] === "" && name.startsWith(start);
  });
}

/** True if one of the scopes grants the permission on the resource. */
export function may(scopes: readonly PlainScope[], permission: string, resource: PlainResource): boolean {
  return scopes.some((scope) => meets(scope, permission, resource));
}

/** True if a service could exist on which a scope grants the permission. */
export function mayOnSomeService(scopes: readonly PlainScope[], permission: string): boolean {
  return (
    may(scopes, permission, { listOf: ["service"] }) ||
    scopes.some((scope) => {
      const id = scope.serviceId ?? scope.resourceId ?? "none";
      const patterns = scope.resourceConstraints?.["serviceNames"];
      const names = Array.isArray(patterns)
        ? patterns.map((pattern) => String(pattern).replace(/\*$/, ""))
        : ["none"];
      return names.some((name) => meets(scope, permission, { service: { id, name } }));
    })
  );
}
