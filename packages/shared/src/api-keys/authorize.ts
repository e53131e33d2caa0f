import { AppError } from "../errors/app-error.ts";
import { type ApiKeyScope, EVERY_PERMISSION, type Permission } from "./schema.ts";
import { matchesServiceNames } from "./service-names.ts";

/** The authenticated key that makes a request, and its organization. */
export interface Actor {
  organizationId: string;
  apiKeyId: string;
  scopes: readonly ApiKeyScope[];
  /** Collects the permissions that are checked for a request: a route that checked too few must not respond. */
  checked?: Set<Permission>;
}

/** The known properties of the resource that a request accesses. A constraint on an unknown property is not met. */
export interface AccessedResource {
  serviceId?: string;
  serviceName?: string;
  environmentId?: string;
  workflowId?: string;
  /** A resource other than a service, environment or workflow, which have fields of their own. */
  resourceType?: string;
  resourceId?: string;
}

/**
 * Checks that one scope of the actor grants the permission on this resource, constraints included.
 *
 * @throws AppError `permission_denied` with the permission and the constraints of its scopes. The message depends on the
 *   key only: it is the same for a missing resource and for one that the key can't access.
 */
export function authorize(actor: Actor, permission: Permission, resource: AccessedResource): void {
  authorizeAll(actor, [permission], resource);
}

/** Like `authorize`, for several permissions. The error names all that are missing. */
export function authorizeAll(
  actor: Actor,
  permissions: readonly Permission[],
  resource: AccessedResource,
): void {
  const error = denial(actor, permissions, resource);
  if (error !== undefined) throw error;
}

/** A permission with the resource that it is needed for. */
export interface NeededAccess {
  permission: Permission;
  resource: AccessedResource;
  /** Properties by which a scope that names the resource may be limited further. */
  within?: AccessedResource;
}

/**
 * Like `authorizeAll`, for permissions on different resources: a scope that is limited to one resource grants nothing for another.
 *
 * @throws AppError `permission_denied`
 */
export function authorizeEach(actor: Actor, needs: readonly NeededAccess[]): void {
  const error = denied(needs.flatMap((need) => refusal(actor, need) ?? []));
  if (error !== undefined) throw error;
}

/** The error that `authorizeAll` throws; undefined if access is allowed. */
export function denial(
  actor: Actor,
  permissions: readonly Permission[],
  resource: AccessedResource,
): AppError | undefined {
  return denied(permissions.flatMap((permission) => refusal(actor, { permission, resource }) ?? []));
}

function denied(refusals: readonly string[]): AppError | undefined {
  if (refusals.length === 0) return undefined;
  return new AppError("permission_denied", `This API key lacks ${refusals.join(" and ")}.`);
}

/** Whether any scope has the permission, before the accessed resource is known. */
export function hasPermission(actor: Actor, permission: Permission): boolean {
  return actor.scopes.some((scope) => grants(scope, permission));
}

/** Whether this scope grants the permission on this resource. */
export function scopeAllows(scope: ApiKeyScope, permission: string, resource: AccessedResource): boolean {
  return grants(scope, permission) && meetsConstraints(scope, resource);
}

function refusal(actor: Actor, { permission, resource, within }: NeededAccess): string | undefined {
  actor.checked?.add(permission);
  const granting = actor.scopes.filter((scope) => grants(scope, permission));
  if (granting.length === 0) return `the permission ${permission}`;
  if (granting.some((scope) => isGranted(scope, resource, within))) return undefined;
  const bounds = [...new Set(granting.flatMap(constraintsOf))];
  const more = bounds.length - NAMED_MAX;
  const names = bounds.slice(0, NAMED_MAX).join(", ") + (more > 0 ? ` and ${more} more` : "");
  return `the permission ${permission} for this resource (its scope is limited by ${names})`;
}

function grants(scope: ApiKeyScope, permission: string): boolean {
  return scope.permission === permission || scope.permission === EVERY_PERMISSION;
}

function isGranted(scope: ApiKeyScope, resource: AccessedResource, within: AccessedResource = {}): boolean {
  if (meetsConstraints(scope, resource)) return true;
  const namesIt = COMPARED.some((name) => resource[name] !== undefined && isSet(scope[name]));
  return namesIt && meetsConstraints(scope, { ...within, ...resource });
}

const COMPARED = ["serviceId", "environmentId", "workflowId"] as const;
/** The maximum number of constraints in a message: resource constraints are an open object. */
const NAMED_MAX = 8;

/** The names of all constraints of a scope. */
function constraintsOf(scope: ApiKeyScope): string[] {
  return [
    ...[...COMPARED, "resourceType" as const, "resourceId" as const].filter((name) => isSet(scope[name])),
    ...Object.keys(scope.resourceConstraints ?? {}).map((name) => `resourceConstraints.${name}`),
  ];
}

/** Whether the known properties of the resource meet every constraint. */
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

/** The values of `resourceType` and `resourceId` that match the resource: a scan run also belongs to its service. */
function kindsOf(resource: AccessedResource): { type: string | undefined; id: string | undefined }[] {
  const { serviceId, serviceName, environmentId, workflowId, resourceType, resourceId } = resource;
  const kinds: { type: string | undefined; id: string | undefined }[] = [];
  if (serviceId !== undefined || serviceName !== undefined) kinds.push({ type: "service", id: serviceId });
  if (environmentId !== undefined) kinds.push({ type: "environment", id: environmentId });
  if (workflowId !== undefined) kinds.push({ type: "workflow", id: workflowId });
  if (resourceType !== undefined) kinds.push({ type: resourceType, id: resourceId });
  return kinds;
}
