import { type ApiKeyScope, EVERY_PERMISSION } from "./schema.ts";
import { includesServiceId } from "./service-ids.ts";
import { matchesServiceNames } from "./service-names.ts";

/** The known properties of the resource that a request accesses. A constraint on an unknown property is not met. */
export interface AccessedResource {
  serviceId?: string;
  serviceName?: string;
  /** Its other names: a constraint on names is met by each of them. */
  serviceAliases?: readonly string[];
  environmentId?: string;
  workflowId?: string;
  /** A resource other than a service, environment or workflow, which have fields of their own. */
  resourceType?: string;
  resourceId?: string;
}

/** True if this scope grants the permission on this resource. */
export function scopeAllows(scope: ApiKeyScope, permission: string, resource: AccessedResource): boolean {
  return grants(scope, permission) && meetsConstraints(scope, resource);
}

/** True if a scope has a permission, whatever its constraints. */
export function grants(scope: ApiKeyScope, permission: string): boolean {
  return scope.permission === permission || scope.permission === EVERY_PERMISSION;
}

/**
 * True if the resource meets every constraint of a scope. If the scope names the resource by its id, its other constraints
 * may also be met by `within`, the resources that contain it.
 */
export function isGranted(
  scope: ApiKeyScope,
  resource: AccessedResource,
  within: AccessedResource = {},
): boolean {
  if (meetsConstraints(scope, resource)) return true;
  const namesIt = COMPARED.some((name) => resource[name] !== undefined && isSet(scope[name]));
  return namesIt && meetsConstraints(scope, { ...within, ...resource });
}

const COMPARED = ["serviceId", "environmentId", "workflowId"] as const;

/** Returns the names of all constraints of a scope. */
export function constraintsOf(scope: ApiKeyScope): string[] {
  return [
    ...[...COMPARED, "resourceType" as const, "resourceId" as const].filter((name) => isSet(scope[name])),
    ...Object.keys(scope.resourceConstraints ?? {}).map((name) => `resourceConstraints.${name}`),
  ];
}

/** True if the known properties of the resource meet every constraint. */
function meetsConstraints(scope: ApiKeyScope, resource: AccessedResource): boolean {
  if (!COMPARED.every((name) => isMet(scope[name], resource[name]))) return false;
  const kinds = kindsOf(resource).filter((kind) => isMet(scope.resourceType, kind.type));
  if (isSet(scope.resourceType) && kinds.length === 0) return false;
  if (isSet(scope.resourceId) && !kinds.some((kind) => isMet(scope.resourceId, kind.id))) return false;
  return Object.entries(scope.resourceConstraints ?? {}).every(([name, wanted]) => {
    if (name === "serviceIds") return includesServiceId(wanted, resource.serviceId);
    return (
      name === "serviceNames" &&
      [resource.serviceName, ...(resource.serviceAliases ?? [])].some((each) =>
        matchesServiceNames(wanted, each),
      )
    );
  });
}

function isSet(wanted: string | null | undefined): wanted is string {
  return wanted !== undefined && wanted !== null;
}

function isMet(wanted: string | null | undefined, shown: string | undefined): boolean {
  return !isSet(wanted) || wanted.toLowerCase() === shown?.toLowerCase();
}

/** Returns the values of `resourceType` and `resourceId` that match the resource: a scan run also belongs to its service. */
function kindsOf(resource: AccessedResource): { type: string | undefined; id: string | undefined }[] {
  const { serviceId, serviceName, environmentId, workflowId, resourceType, resourceId } = resource;
  const kinds: { type: string | undefined; id: string | undefined }[] = [];
  if (serviceId !== undefined || serviceName !== undefined) kinds.push({ type: "service", id: serviceId });
  if (environmentId !== undefined) kinds.push({ type: "environment", id: environmentId });
  if (workflowId !== undefined) kinds.push({ type: "workflow", id: workflowId });
  if (resourceType !== undefined) kinds.push({ type: resourceType, id: resourceId });
  return kinds;
}
