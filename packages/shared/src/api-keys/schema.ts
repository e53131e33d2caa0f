import { z } from "zod";
import { text, Uuid } from "../lib/schema.ts";

/** Every permission that grants something. The set is open: another name is stored and grants nothing. */
export const PERMISSIONS = [
  "scans:create",
  "services:read",
  "services:create",
  "services:update",
  "endpoints:read",
  "endpoints:write",
  "api-keys:read",
  "api-keys:create",
  "api-keys:revoke",
  "audit:read",
  "operations:read",
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Grants every permission. */
export const EVERY_PERMISSION = "*";

export const PermissionName = z
  .string()
  .max(200)
  .regex(/^(\*|[A-Za-z0-9_.*-]+:[A-Za-z0-9_.*-]+)$/, "must be * or of the form word:word")
  .meta({ id: "PermissionName" });

/** A permission and the constraints that narrow it. A null or absent constraint does not narrow. */
export const ApiKeyScope = z
  .strictObject({
    id: z.string().optional(),
    permission: PermissionName,
    resourceType: text({ max: 80 }).nullable().optional(),
    resourceId: Uuid.nullable().optional(),
    serviceId: Uuid.nullable().optional(),
    environmentId: Uuid.nullable().optional(),
    workflowId: Uuid.nullable().optional(),
    resourceConstraints: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: "ApiKeyScope" });
export type ApiKeyScope = z.infer<typeof ApiKeyScope>;
