import { AppError } from "../errors/app-error.ts";
import { type ApiKeyScope, EVERY_PERMISSION, type Permission } from "./schema.ts";
import { matchesServiceNames } from "./service-names.ts";

/** Who makes a request: the key that was checked, and the organization it acts in. */
export interface Actor {
  organizationId: string;
  apiKeyId: string;
  scopes: readonly ApiKeyScope[];
}

/** What a request can show about the thing it acts on. What is not shown, no constraint on it is met. */
export interface AccessedResource {
  serviceId?: string;
  serviceName?: string;
  environmentId?: string;
  workflowId?: string;
  /** Something else than a service, an environment or a workflow: those are shown by their own fields. */
  resourceType?: string;
  resourceId?: string;
}

/**
 * Passes when one scope of the actor grants the permission on this resource, its constraints included.
 *
 * @throws AppError `permission_denied`, naming the permission and what its scopes are bound by. That depends on the key
 *   alone: a resource that is not there is refused in the same words as one that the key may not touch.
 */
export function authorize(actor: Actor, permission: Permission, resource: AccessedResource): void {
  authorizeAll(actor, [permission], resource);
}

/** The same for several permissions at once: the error names all that are missing. */
export function authorizeAll(
  actor: Actor,
  permissions: readonly Permission[],
  resource: AccessedResource,
): void {
  const error = denial(actor, permissions, resource);
  if (error !== undefined) throw error;
}

/** What `authorizeAll` throws; undefined where it passes. */
export function denial(
  actor: Actor,
  permissions: readonly Permission[],
  resource: AccessedResource,
): AppError | undefined {
  const refusals = permissions.flatMap((permission) => refusal(actor, permission, resource) ?? []);
  if (refusals.length === 0) return undefined;
  return new AppError("permission_denied", `This API key lacks ${refusals.join(" and ")}.`);
}

/** Whether any scope carries the permission at all, before it is known what the request acts on. */
export function hasPermission(actor: Actor, permission: Permission): boolean {
  return actor.scopes.some((scope) => grants(scope, permission));
}

/** Whether this one scope allows the permission on this resource. */
export function scopeAllows(scope: ApiKeyScope, permission: string, resource: AccessedResource): boolean {
  return grants(scope, permission) && meetsConstraints(scope, resource);
}

function refusal(actor: Actor, permission: Permission, resource: AccessedResource): string | undefined {
  const granting = actor.scopes.filter((scope) => grants(scope, permission));
  if (granting.length === 0) return `the permission ${permission}`;
  if (granting.some((scope) => meetsConstraints(scope, resource))) return undefined;
  const bounds = [...new Set(granting.flatMap(constraintsOf))];
  const more = bounds.length - NAMED_MAX;
  const names = bounds.slice(0, NAMED_MAX).join(", ") + (more > 0 ? ` and ${more} more` : "");
  return `the permission ${permission} here (its scope is bound by ${names})`;
}

function grants(scope: ApiKeyScope, permission: string): boolean {
  return scope.permission === permission || scope.permission === EVERY_PERMISSION;
}

const COMPARED = ["serviceId", "environmentId", "workflowId"] as const;
/** What a refusal names: resource constraints are an open object. */
const NAMED_MAX = 8;

/** The names of the constraints that a scope carries, met or not. */
function constraintsOf(scope: ApiKeyScope): string[] {
  return [
    ...[...COMPARED, "resourceType" as const, "resourceId" as const].filter((name) => isSet(scope[name])),
    ...Object.keys(scope.resourceConstraints ?? {}).map((name) => `resourceConstraints.${name}`),
  ];
}

/** Whether the request shows that every constraint is met. */
function meetsConstraints(scope: ApiKeyScope, resource: AccessedResource): boolean {
  if (!COMPARED.every((name) => isMet(scope[name], resource[name]))) return false;
  const kinds = kindsOf(resource).filter((kind) => isMet(scope.resourceType, kind.type));
  if (isSet(scope.resourceType) && kinds.length === 0) return false;
  if (isSet(scope.resourceId) && !kinds.some((kind) => isMet(scope.resourceId, kind.id))) return false;
  return Object.entries(scope.resourceConstraints ?? {}).every(
    ([name, wanted]) => name === "serviceNames" && matchesServiceNames(wanted, resource.serviceName),
  );
}

function isSet(wanted: string | null | undefined): wanted is string {
  return wanted !== undefined && wanted !== null;
}

function isMet(wanted: string | null | undefined, shown: string | undefined): boolean {
  return !isSet(wanted) || wanted.toLowerCase() === shown?.toLowerCase();
}

/** What the resource is, as `resourceType` and `resourceId` speak of it: a scan run is itself and of a service. */
function kindsOf(resource: AccessedResource): { type: string | undefined; id: string | undefined }[] {
  const { serviceId, serviceName, environmentId, workflowId, resourceType, resourceId } = resource;
  const kinds: { type: string | undefined; id: string | undefined }[] = [];
  if (serviceId !== undefined || serviceName !== undefined) kinds.push({ type: "service", id: serviceId });
  if (environmentId !== undefined) kinds.push({ type: "environment", id: environmentId });
  if (workflowId !== undefined) kinds.push({ type: "workflow", id: workflowId });
  if (resourceType !== undefined) kinds.push({ type: resourceType, id: resourceId });
  return kinds;
}
