import { z } from "zod";
import { idempotencyKeyHeader } from "../operations/idempotency-key.ts";
import { Uuid } from "../lib/schema.ts";
import { PageQuery } from "../operations/page-query.ts";
import {
  API_KEY_LIMITS,
  ApiKey,
  ChangeApiKeyStateRequest,
  ApiKeyFilterFields,
  ApiKeyPage,
  CreateApiKeyRequest,
  CreatedApiKeyResult,
  OwnApiKey,
  RevokeApiKeyRequest,
  RevokeApiKeysRequest,
  RevokedApiKeyResult,
  RevokedApiKeysResult,
  RotateApiKeyRequest,
} from "./schema.ts";
import { operation } from "../operations/operation.ts";
import * as addresses from "./addresses.ts";

const KeyParams = z.object({ apiKeyId: Uuid });

const CreateKeyHeaders = z.object({
  "idempotency-key": idempotencyKeyHeader(
    "If the same request with the same Idempotency-Key is repeated within 24 h, the API key that it created is replaced, unless it was used: that key is revoked, and the response contains another one.",
  ),
});

const RotateKeyHeaders = z.object({
  "idempotency-key": idempotencyKeyHeader(
    "If the same request with the same Idempotency-Key is repeated within 24 h, the new key is replaced, unless it was used: that key is revoked, and the response contains another one. The end of the old key stays. A key that rotates itself needs graceSeconds of at least 60.",
  ),
});

export const createApiKey = operation({
  id: "createApiKey",
  ...addresses.createApiKey,
  summary: "Create an API key",
  description:
    "Only this response contains the raw key. The new key has no more permissions, no later expiry and no other networks than the calling key. " +
    "A user's own key (ownerPrincipalId is the user of the calling key) needs personal-keys:manage only, which every user has, and never has " +
    "more permissions than the user's roles.",
  tag: "api-keys",
  needsRecentSignIn: true,
  access: { needs: ["api-keys:create"], unless: "a user creates a key of their own" },
  headers: CreateKeyHeaders,
  body: CreateApiKeyRequest,
  responses: { 201: CreatedApiKeyResult },
  errors: [409, 422],
});

export const listApiKeys = operation({
  id: "listApiKeys",
  ...addresses.listApiKeys,
  summary: "List API keys",
  description:
    "Newest first, including revoked and expired keys. The raw keys are never included. Filters are combined with and. " +
    "A user lists their own keys (by ownerPrincipalId) with personal-keys:manage.",
  tag: "api-keys",
  access: { needs: ["api-keys:read"], resourceType: "api_key", unless: "a user lists their own keys" },
  query: PageQuery.extend({ organizationId: Uuid, ...ApiKeyFilterFields.shape }),
  responses: { 200: ApiKeyPage },
});

export const getApiKey = operation({
  id: "getApiKey",
  ...addresses.getApiKey,
  summary: "Read an API key's metadata",
  tag: "api-keys",
  access: { needs: ["api-keys:read"] },
  params: KeyParams,
  query: z.strictObject({ organizationId: Uuid }),
  responses: { 200: ApiKey },
});

export const getOwnApiKey = operation({
  id: "getOwnApiKey",
  ...addresses.getOwnApiKey,
  summary: "Read the calling key's own metadata",
  description: "Needs no permission. Shows the organization and the scopes of the calling key.",
  tag: "api-keys",
  access: { needs: [] },
  responses: { 200: OwnApiKey },
});

export const revokeApiKeys = operation({
  id: "revokeApiKeys",
  ...addresses.revokeApiKeys,
  summary: "Revoke several API keys",
  description:
    `By their ids, or the next ${API_KEY_LIMITS.revokedTogetherMax} that match a filter, newest first: repeat the request with nextCursor for more. ` +
    "Each key is revoked by the rules for one, and the response says what happened to each. The calling key stays, unless includeSelf is true. " +
    "A filter needs api-keys:read, too. A session must have signed in within the last 15 minutes.",
  tag: "api-keys",
  access: { needs: ["api-keys:revoke"] },
  needsRecentSignIn: true,
  body: RevokeApiKeysRequest,
  limits: "revocation",
  responses: { 200: RevokedApiKeysResult },
  errors: [409],
});

export const revokeApiKey = operation({
  id: "revokeApiKey",
  ...addresses.revokeApiKey,
  summary: "Revoke an API key",
  description:
    "Permanent, from the next request on. Idempotent. A key can revoke keys with no more permissions than its own, and with children: true also every key that they created. The last usable key with * can't be revoked.",
  tag: "api-keys",
  access: {
    needs: ["api-keys:revoke"],
    unless: "the key revokes itself, or a user revokes a key of their own",
  },
  params: KeyParams,
  body: RevokeApiKeyRequest,
  limits: "revocation",
  responses: { 200: RevokedApiKeyResult },
  errors: [409],
});

export const revokeOwnApiKey = operation({
  id: "revokeOwnApiKey",
  ...addresses.revokeOwnApiKey,
  summary: "Revoke the calling key",
  description:
    "Every key can revoke itself: this needs no permission, and only refused requests count towards a rate limit. With children: true it needs api-keys:revoke. The last usable key with * can't be revoked.",
  tag: "api-keys",
  access: { needs: [] },
  body: RevokeApiKeyRequest,
  // A leaked key must be revocable even while somebody sends many requests with it.
  limits: "refused",
  bodyBytesMax: 1024,
  responses: { 200: RevokedApiKeyResult },
  errors: [409],
});

export const rotateApiKey = operation({
  id: "rotateApiKey",
  ...addresses.rotateApiKey,
  summary: "Replace an API key",
  description:
    "Creates a new key with the same name, owner, scopes, networks and expiry. The old key expires after graceSeconds. If the operator has set a maximum lifetime, it limits the new key's expiry. Only this response contains the new raw key.",
  tag: "api-keys",
  needsRecentSignIn: true,
  access: { needs: ["api-keys:create", "api-keys:revoke"] },
  params: KeyParams,
  headers: RotateKeyHeaders,
  body: RotateApiKeyRequest,
  responses: { 201: CreatedApiKeyResult },
  errors: [409, 422],
});

export const disableApiKey = operation({
  id: "disableApiKey",
  ...addresses.disableApiKey,
  summary: "Disable an API key",
  description:
    "Until the key is enabled again, its requests are refused with 401. Its status stays active; disabledAt is set.",
  tag: "api-keys",
  access: { needs: ["api-keys:revoke"] },
  params: KeyParams,
  body: ChangeApiKeyStateRequest,
  // Allows disabling a key that uses up its organization's limit.
  limits: "revocation",
  responses: { 200: ApiKey },
  errors: [409],
});

export const enableApiKey = operation({
  id: "enableApiKey",
  ...addresses.enableApiKey,
  summary: "Enable a disabled API key",
  description: "Needs api-keys:create and all permissions that creating this key would need.",
  tag: "api-keys",
  needsRecentSignIn: true,
  access: { needs: ["api-keys:create"] },
  params: KeyParams,
  body: ChangeApiKeyStateRequest,
  responses: { 200: ApiKey },
  errors: [409],
});
