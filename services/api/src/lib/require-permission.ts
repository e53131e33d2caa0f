import { authorize, hasPermission } from "@waymark/shared/api-keys/authorize.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import { actorOf, type Authenticate } from "./authenticate.ts";

/**
 * Returns a hook for `onRequest` that refuses a key without the permission before the body is read. Only the body names the resource:
 * the handler checks what the scopes are limited to.
 */
export function requirePermission(permission: Permission): Authenticate {
  return async (request) => {
    const actor = actorOf(request);
    if (!hasPermission(actor, permission)) authorize(actor, permission, {});
  };
}
