import { isDeepStrictEqual } from "node:util";
import { AppError } from "../errors/app-error.ts";
import { type ApiKeyScope, EVERY_PERMISSION } from "./schema.ts";
import { serviceNamesFit } from "./service-names.ts";

interface KeyPower {
  scopes: readonly ApiKeyScope[];
  expiresAt: Date | null;
}

/**
 * Passes when a key may give another one these scopes and this life: each scope fits inside ONE of its own, and the
 * other key ends no later than itself.
 *
 * @throws AppError `permission_denied`, naming the first scope that does not fit, or the expiry
 */
export function assertMayHandOut(holder: KeyPower, handedOut: KeyPower): void {
  for (const [index, scope] of handedOut.scopes.entries()) {
    if (holder.scopes.some((own) => scopeFits(scope, own))) continue;
    throw new AppError(
      "permission_denied",
      `This API key can hand out only what it holds itself: scopes[${index}] (${scope.permission}) does not fit inside any of its scopes, constraints included.`,
    );
  }
  if (holder.expiresAt === null) return;
  if (handedOut.expiresAt === null || handedOut.expiresAt > holder.expiresAt) {
    throw new AppError(
      "permission_denied",
      `This API key can't create one that outlives it: expiresAt must be at or before ${holder.expiresAt.toISOString()}.`,
    );
  }
}

const COMPARED = ["resourceType", "resourceId", "serviceId", "environmentId", "workflowId"] as const;

/** Whether `inner` allows nothing that `outer` does not: no wider permission, and every constraint of `outer` kept. */
export function scopeFits(inner: ApiKeyScope, outer: ApiKeyScope): boolean {
  if (outer.permission !== EVERY_PERMISSION && outer.permission !== inner.permission) return false;
  for (const name of COMPARED) {
    const bound = outer[name];
    if (bound === undefined || bound === null) continue;
    if (inner[name]?.toLowerCase() !== bound.toLowerCase()) return false;
  }
  const kept = inner.resourceConstraints ?? {};
  return Object.entries(outer.resourceConstraints ?? {}).every(([name, bound]) => {
    if (!Object.hasOwn(kept, name)) return false;
    return (
      isDeepStrictEqual(kept[name], bound) || (name === "serviceNames" && serviceNamesFit(kept[name], bound))
    );
  });
}
