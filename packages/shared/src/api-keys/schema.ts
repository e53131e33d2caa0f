import { z } from "zod";
import { IsoDateTime, label, OpenObject, text, Uuid } from "../lib/schema.ts";

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

/** Limits of key management, counted in Unicode characters, bytes and seconds. */
export const API_KEY_LIMITS = {
  nameMax: 120,
  permissionMax: 200,
  resourceTypeMax: 80,
  /** All scopes of one key as JSON: they are read with every request that the key makes. */
  scopesBytesMax: 256 * 1024,
  graceSecondsMax: 30 * 24 * 3600,
  networksMax: 50,
  /** Ids that the answer lists when many keys are revoked at once. */
  revokedKeyIdsMax: 1_000,
} as const;

/** What the operator of a server allows keys to be, as `GET /api/limits` tells it. */
export const ApiKeyPolicy = z.object({
  lifetimeDaysMax: z.int().nullable().meta({ description: "How long a new key may live. Null: no maximum." }),
});

export const PermissionName = z
  .string()
  .max(API_KEY_LIMITS.permissionMax)
  .regex(/^(\*|[A-Za-z0-9_.*-]+:[A-Za-z0-9_.*-]+)$/, "must be * or of the form word:word")
  .meta({ id: "PermissionName" });

/** A permission and the constraints that narrow it. A null or absent constraint does not narrow. */
export const ApiKeyScope = z
  .strictObject({
    id: z.string().optional(),
    permission: PermissionName,
    resourceType: text({ max: API_KEY_LIMITS.resourceTypeMax }).nullable().optional(),
    resourceId: Uuid.nullable().optional(),
    serviceId: Uuid.nullable().optional(),
    environmentId: Uuid.nullable().optional(),
    workflowId: Uuid.nullable().optional(),
    resourceConstraints: OpenObject.optional().meta({
      description: "serviceNames: names or globs that end in *. Any other entry is stored, and never met.",
    }),
  })
  .meta({ id: "ApiKeyScope" });
export type ApiKeyScope = z.infer<typeof ApiKeyScope>;

export const PrincipalType = z.enum(["user", "service_account"]);

/** The networks that a key may be used from. They are read, and put into one form, by `validateNewKey`. */
const AllowedNetworks = z
  .array(z.string().max(64))
  .min(1, "must have at least 1 item, or be null for any address")
  .max(API_KEY_LIMITS.networksMax)
  .meta({
    description:
      "Networks in CIDR notation, or single addresses. Requests from elsewhere are refused with 403. Null: from anywhere.",
    examples: [["203.0.113.0/24", "2001:db8::/32"]],
  });

/** What anybody with `api-keys:read` may know of a key. The key itself is never part of it. */
export const ApiKey = z
  .object({
    id: Uuid,
    name: z.string(),
    prefix: z.string().meta({ description: "The public start of the key: wmk_ and 12 characters." }),
    ownerPrincipalType: PrincipalType.nullable(),
    ownerPrincipalId: Uuid.nullable(),
    ownerDisplayName: z.string().nullable(),
    createdBy: z.string().nullable().meta({
      description: "The id of the key that created this one; null for keys made by the operator.",
    }),
    scopes: z.array(ApiKeyScope),
    expiresAt: IsoDateTime.nullable(),
    lastUsedAt: IsoDateTime.nullable().meta({ description: "Noted at most once a minute." }),
    revokedAt: IsoDateTime.nullable(),
    disabledAt: IsoDateTime.nullable().meta({
      description: "Since when the key is refused until it is enabled again. Null: it is not disabled.",
    }),
    allowedNetworks: AllowedNetworks.nullable(),
    status: z.enum(["active", "expired", "revoked"]).meta({
      description: "How far the key's life is. A disabled key stays active: see disabledAt.",
    }),
    createdAt: IsoDateTime,
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof ApiKey>;

export const ApiKeyPage = z
  .object({ apiKeys: z.array(ApiKey), nextCursor: z.string().optional() })
  .meta({ id: "ApiKeyPage" });

/** Who a key acts for. */
export const PrincipalSummary = z
  .object({ type: z.string(), id: Uuid.nullable(), displayName: z.string().nullable() })
  .meta({ id: "PrincipalSummary" });

export const OwnApiKey = ApiKey.extend({ organizationId: Uuid, principal: PrincipalSummary }).meta({
  id: "OwnApiKey",
});

export const CreateApiKeyRequest = z
  .strictObject({
    name: label({ min: 1, max: API_KEY_LIMITS.nameMax }),
    ownerPrincipalType: PrincipalType,
    ownerPrincipalId: Uuid.nullable().optional(),
    scopes: z
      .array(z.union([PermissionName, ApiKeyScope]))
      .min(1, "must have at least 1 item")
      .meta({ description: "A string is a permission without constraints." }),
    expiresAt: IsoDateTime.nullable().optional(),
    allowedNetworks: AllowedNetworks.nullable().optional(),
    organizationId: Uuid.optional().meta({ description: "When given, the calling key's own organization." }),
  })
  .meta({ id: "CreateApiKeyRequest" });
export type CreateApiKeyRequest = z.infer<typeof CreateApiKeyRequest>;

export const CreatedApiKeyResult = ApiKey.extend({
  rawKey: z.string().meta({ description: "The whole key. This is the only time that it is shown." }),
  warning: z.string(),
}).meta({ id: "CreatedApiKeyResult" });
export type CreatedApiKeyResult = z.infer<typeof CreatedApiKeyResult>;

/** Null is how a body that is absent is validated. */
export const RevokeApiKeyRequest = z
  .strictObject({
    organizationId: Uuid.optional(),
    children: z.boolean().optional().meta({
      description: "Also revokes every key that this one made, and those that they made.",
    }),
  })
  .meta({ id: "RevokeApiKeyRequest" })
  .nullish();

/** The revoked key and, where its children were to be revoked too, what that came to. */
export const RevokedApiKeyResult = ApiKey.extend({
  revokedCount: z
    .int()
    .optional()
    .meta({ description: "With children: how many keys this request revoked." }),
  revokedKeyIds: z
    .array(Uuid)
    .max(API_KEY_LIMITS.revokedKeyIdsMax)
    .optional()
    .meta({ description: "With children: their ids, the oldest first. The audit record has all of them." }),
}).meta({ id: "RevokedApiKeyResult" });
export type RevokedApiKeyResult = z.infer<typeof RevokedApiKeyResult>;

/** Of disabling and enabling a key. Null is how a body that is absent is validated. */
export const ChangeApiKeyStateRequest = z
  .strictObject({ organizationId: Uuid.optional() })
  .meta({ id: "ChangeApiKeyStateRequest" })
  .nullish();

export const RotateApiKeyRequest = z
  .strictObject({
    graceSeconds: z
      .int()
      .min(0)
      .max(API_KEY_LIMITS.graceSecondsMax)
      .meta({ description: "How long the old key still works. 0 ends it at once." }),
    organizationId: Uuid.optional(),
  })
  .meta({ id: "RotateApiKeyRequest" });
