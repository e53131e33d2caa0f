import { z } from "zod";
import { Cursor, IsoDateTime, label, OpenObject, text, Uuid } from "../lib/schema.ts";

/** Every permission with an effect. Other names are stored and grant nothing. */
export const PERMISSIONS = [
  "scans:create",
  "services:read",
  "services:create",
  "services:update",
  "services:delete",
  "endpoints:read",
  "endpoints:write",
  "changes:approve",
  "findings:decide",
  "severities:manage",
  "api-keys:read",
  "api-keys:create",
  "api-keys:revoke",
  "personal-keys:manage",
  "principals:read",
  "principals:manage",
  "teams:manage",
  "trust:read",
  "trust:write",
  "journeys:read",
  "journeys:write",
  "journeys:run",
  "journeys:schedule",
  "journeys:share",
  "journey-results:create",
  "environments:read",
  "environments:write",
  "secrets:write",
  "audit:read",
  "operations:read",
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Grants every permission. */
export const EVERY_PERMISSION = "*";

/** Needed by an operation: a permission, or all of them. */
export type NeededPermission = Permission | typeof EVERY_PERMISSION;

/** Limits of key management, counted in Unicode characters, bytes and seconds. */
export const API_KEY_LIMITS = {
  nameMax: 120,
  permissionMax: 200,
  resourceTypeMax: 80,
  /** All scopes of one key as JSON. Every request of the key reads them. */
  scopesBytesMax: 256 * 1024,
  graceSecondsMax: 30 * 24 * 3600,
  networksMax: 50,
  /** The maximum number of ids in a response that revokes many keys. */
  revokedKeyIdsMax: 1_000,
  /** The maximum number of keys that one request revokes by their ids or by a filter. */
  revokedTogetherMax: 200,
} as const;

/** The operator's limits for keys, as `GET /api/limits` shows them. */
export const ApiKeyPolicy = z.object({
  lifetimeDaysMax: z
    .int()
    .nullable()
    .meta({ description: "The maximum lifetime of a new key. Null: no maximum." }),
});

export const PermissionName = z
  .string()
  .max(API_KEY_LIMITS.permissionMax)
  .regex(/^(\*|[A-Za-z0-9_.*-]+:[A-Za-z0-9_.*-]+)$/, "must be * or of the form word:word")
  .meta({ id: "PermissionName" });

/** A permission and its constraints. A null or absent constraint has no effect. */
export const ApiKeyScope = z
  .strictObject({
    id: z.string().optional(),
    permission: PermissionName,
    resourceType: text({ max: API_KEY_LIMITS.resourceTypeMax }).nullable().optional(),
    resourceId: Uuid.nullable().optional(),
    serviceId: Uuid.nullable().optional(),
    environmentId: Uuid.nullable().optional(),
    workflowId: Uuid.nullable().optional().meta({ description: "The id of a journey's document." }),
    resourceConstraints: OpenObject.optional().meta({
      description:
        "serviceNames: names or globs that end in *. serviceIds: ids of services. Any other constraint is stored and never met.",
    }),
  })
  .meta({ id: "ApiKeyScope" });
export type ApiKeyScope = z.infer<typeof ApiKeyScope>;

export const PrincipalType = z.enum(["user", "service_account"]);

/** The networks that a key may be used from. `validateNewKey` parses them into their canonical form. */
const AllowedNetworks = z
  .array(text({ max: 64 }))
  .min(1, "must have at least 1 item, or be null for any address")
  .max(API_KEY_LIMITS.networksMax)
  .meta({
    description:
      "Networks in CIDR notation, or single addresses. Requests from elsewhere are refused with 403. Null: from anywhere.",
    examples: [["203.0.113.0/24", "2001:db8::/32"]],
  });

/** A key as callers with `api-keys:read` see it, without the key itself. */
export const ApiKey = z
  .object({
    id: Uuid,
    name: z.string(),
    prefix: z.string().meta({ description: "The public beginning of the key: wmk_ and 12 characters." }),
    ownerPrincipalType: PrincipalType.nullable(),
    ownerPrincipalId: Uuid.nullable(),
    ownerDisplayName: z.string().nullable(),
    createdBy: z.string().nullable().meta({
      description: "The id of the key that created this one; null for keys created by the operator.",
    }),
    replacedBy: Uuid.nullable().meta({
      description: "The id of the key that this one was rotated into last; null if it was never rotated.",
    }),
    trustPolicyId: Uuid.nullable().meta({
      description:
        "The trust policy that issued this key in exchange for a workload's token; null for all others.",
    }),
    scopes: z.array(ApiKeyScope),
    expiresAt: IsoDateTime.nullable(),
    lastUsedAt: IsoDateTime.nullable().meta({ description: "Recorded at most once a minute." }),
    revokedAt: IsoDateTime.nullable(),
    disabledAt: IsoDateTime.nullable().meta({
      description:
        "When the key was disabled. Requests with it are refused until it is enabled again. Null: not disabled.",
    }),
    allowedNetworks: AllowedNetworks.nullable(),
    status: z.enum(["active", "expired", "revoked"]).meta({
      description: "A disabled key stays active: see disabledAt.",
    }),
    createdAt: IsoDateTime,
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof ApiKey>;

/** The filters of the list of keys. */
export const ApiKeyFilterFields = z.strictObject({
  name: text({ min: 1, max: API_KEY_LIMITS.nameMax }).optional().meta({
    description: "Only keys with exactly this name.",
  }),
  q: text({ min: 1, max: API_KEY_LIMITS.nameMax }).optional().meta({
    description: "Only keys with this part of a name, in any case.",
  }),
  status: z.enum(["active", "expired", "revoked"]).optional(),
  createdBy: z
    .union([Uuid, z.literal("operator")])
    .optional()
    .meta({ description: "Only keys that the key with this id created, or the operator." }),
  ownerPrincipalId: Uuid.optional().meta({
    description: "Only keys that belong to this user or service account.",
  }),
  trustPolicyId: Uuid.optional().meta({
    description:
      "Only keys that this trust policy issued. Without it and without createdBy, issued keys are not among the results.",
  }),
});
export type ApiKeyFilterFields = z.infer<typeof ApiKeyFilterFields>;

export const ApiKeyPage = z
  .object({ apiKeys: z.array(ApiKey), nextCursor: z.string().optional() })
  .meta({ id: "ApiKeyPage" });

/** The owner of a key. */
export const PrincipalSummary = z
  .object({ type: z.string(), id: Uuid.nullable(), displayName: z.string().nullable() })
  .meta({ id: "PrincipalSummary" });

/** The owner of a key that another field names. */
export const KeyOwner = PrincipalSummary.nullable().meta({
  description: "The user or the service account to which that key belongs. Null for other keys.",
});

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
    organizationId: Uuid.optional().meta({
      description: "If given, it must be the calling key's organization.",
    }),
  })
  .meta({ id: "CreateApiKeyRequest" });
export type CreateApiKeyRequest = z.infer<typeof CreateApiKeyRequest>;

export const CreatedApiKeyResult = ApiKey.extend({
  rawKey: z.string().meta({ description: "The complete key. It is shown only once." }),
  warning: z.string(),
}).meta({ id: "CreatedApiKeyResult" });
export type CreatedApiKeyResult = z.infer<typeof CreatedApiKeyResult>;

/** Null stands for an absent body. */
export const RevokeApiKeyRequest = z
  .strictObject({
    organizationId: Uuid.optional(),
    children: z.boolean().optional().meta({
      description: "Also revokes every key that this one created, and those that they created.",
    }),
  })
  .meta({ id: "RevokeApiKeyRequest" })
  .nullish();

/** The revoked key and, if its children were revoked too, their number and ids. */
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

/** Revokes several keys: by their ids, or the next ones that match a filter. */
export const RevokeApiKeysRequest = z
  .strictObject({
    organizationId: Uuid.optional(),
    apiKeyIds: z.array(Uuid).min(1).max(API_KEY_LIMITS.revokedTogetherMax).optional(),
    filter: ApiKeyFilterFields.omit({ status: true })
      .extend({ status: z.enum(["active", "expired"]).optional() })
      .refine((filter) => Object.keys(filter).length > 0, "must have at least one field")
      .optional(),
    // The position of a key in the list is its id, so its cursors are short.
    cursor: Cursor.unwrap().max(1_000).optional().meta({
      description: "With a filter: the nextCursor of the previous response, for the next keys.",
    }),
    includeSelf: z.boolean().optional().meta({
      description: "True to revoke the calling key, too, if it is among them.",
    }),
  })
  .refine(
    ({ apiKeyIds, filter }) => (apiKeyIds === undefined) !== (filter === undefined),
    "must have either apiKeyIds or filter",
  )
  .refine(({ filter, cursor }) => cursor === undefined || filter !== undefined, {
    message: "is for a filter only",
    path: ["cursor"],
  })
  .meta({ id: "RevokeApiKeysRequest" });

/** The outcome for one key of a request that revokes several. */
export const KeyRevocation = z
  .object({
    apiKeyId: Uuid,
    outcome: z.enum(["revoked", "already_revoked", "own_key", "not_found", "refused"]).meta({
      description: "own_key: the calling key, which stays without includeSelf. refused: see error.",
    }),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: "KeyRevocation" });
export type KeyRevocation = z.infer<typeof KeyRevocation>;

export const RevokedApiKeysResult = z
  .object({
    results: z.array(KeyRevocation),
    nextCursor: z.string().optional().meta({ description: "With a filter: set if more keys match." }),
  })
  .meta({ id: "RevokedApiKeysResult" });

/** Disables or enables a key. Null stands for an absent body. */
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
      .meta({ description: "How long the old key still works. 0 ends it immediately." }),
    organizationId: Uuid.optional(),
  })
  .meta({ id: "RotateApiKeyRequest" });
