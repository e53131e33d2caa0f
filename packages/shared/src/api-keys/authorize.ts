import { AppError } from "../errors/app-error.ts";
import { type ApiKeyScope, EVERY_PERMISSION, type Permission } from "./schema.ts";

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
  resourceType?: string;
  resourceId?: string;
}

/**
 * Passes when one scope of the actor grants the permission on this resource, its constraints included.
 *
 * @throws AppError `permission_denied`, naming the permission and, where only a constraint failed, that constraint
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
  const refusals = permissions.flatMap((permission) => refusal(actor, permission, resource) ?? []);
  if (refusals.length === 0) return;
  throw new AppError("permission_denied", `This API key lacks ${refusals.join(" and ")}.`);
}

/** Whether any scope carries the permission at all, before it is known what the request acts on. */
export function carriesPermission(actor: Actor, permission: Permission): boolean {
  return actor.scopes.some((scope) => grants(scope, permission));
}

function refusal(actor: Actor, permission: Permission, resource: AccessedResource): string | undefined {
  const granting = actor.scopes.filter((scope) => grants(scope, permission));
  if (granting.length === 0) return `the permission ${permission}`;
  const failed = granting.map((scope) => failedConstraint(scope, resource));
  if (failed.includes(undefined)) return undefined;
  const names = [...new Set(failed)].join(", ");
  return `the permission ${permission} here (its scope is bound by ${names})`;
}

function grants(scope: ApiKeyScope, permission: Permission): boolean {
  return scope.permission === permission || scope.permission === EVERY_PERMISSION;
}

const COMPARED = ["serviceId", "environmentId", "workflowId", "resourceType", "resourceId"] as const;

/** The name of the first constraint that the request does not show to be met. */
function failedConstraint(scope: ApiKeyScope, resource: AccessedResource): string | undefined {
  for (const name of COMPARED) {
    const wanted = scope[name];
    if (wanted === undefined || wanted === null) continue;
    if (wanted.toLowerCase() !== resource[name]?.toLowerCase()) return name;
  }
  for (const [name, wanted] of Object.entries(scope.resourceConstraints ?? {})) {
    if (name !== "serviceNames" || !matchesServiceName(wanted, resource.serviceName)) {
      return `resourceConstraints.${name}`;
    }
  }
  return undefined;
}

/** `serviceNames` holds exact names or globs that end in their one `*`, such as `payments-*`. */
function matchesServiceName(wanted: unknown, serviceName: string | undefined): boolean {
  if (serviceName === undefined || !Array.isArray(wanted)) return false;
  return wanted.some((pattern: unknown) => {
    if (typeof pattern !== "string") return false;
    const star = pattern.indexOf("*");
    if (star === -1) return pattern === serviceName;
    return star === pattern.length - 1 && serviceName.startsWith(pattern.slice(0, -1));
  });
}
