import { createKey } from "@waymark/server/api-keys/create-key.ts";
import { validateNewKey } from "@waymark/server/api-keys/validate-new-key.ts";
import { listApiKeys, locateApiKey } from "@waymark/server/api-keys/queries.ts";
import {
  type ApiKey,
  CreateApiKeyRequest,
  type RevokedApiKeyResult,
} from "@waymark/shared/api-keys/schema.ts";
import { insertAuditEvent, OPERATOR } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { issueDetails } from "@waymark/shared/lib/error-details.ts";
import { v7 as uuidv7 } from "uuid";
import { requireOrganization } from "../lib/require-organization.ts";
import { findOwner } from "./owner.ts";
import { revokeKeyAsOperator } from "./revoke-key.ts";

// The operator's key commands, which need no API key. `db` is always a pool of the database's owner.

export interface OperatorKeyRequest {
  organizationId: string;
  name: string;
  /** Permissions, or scopes as JSON objects. */
  scopes: readonly string[];
  ownerType: string;
  ownerId: string | undefined;
  expiresAt: string | undefined;
  networks: readonly string[] | undefined;
}

/** @throws Error if the request doesn't match the schema, or AppError for faults that the schema can't detect */
export async function createKeyAsOperator(
  db: DatabasePool,
  request: OperatorKeyRequest,
): Promise<{ apiKey: ApiKey; rawKey: string }> {
  const { organizationId } = request;
  const wanted = parseRequest(request);
  const terms = validateNewKey(wanted, { now: new Date(), lifetimeDaysMax: undefined });
  await requireOrganization(db, organizationId);
  return withOrganization(db, organizationId, async (tx) => {
    await findOwner(tx, { ...wanted, organizationId });
    const created = await createKey(tx, {
      organizationId,
      id: uuidv7(),
      name: terms.name,
      ownerPrincipalType: wanted.ownerPrincipalType,
      ownerPrincipalId: wanted.ownerPrincipalId ?? null,
      createdBy: null,
      scopes: terms.scopes,
      expiresAt: terms.expiresAt?.toISOString() ?? null,
      allowedNetworks: terms.allowedNetworks,
    });
    await insertAuditEvent(tx, {
      ...OPERATOR,
      id: uuidv7(),
      organizationId,
      apiKeyId: created.apiKey.id,
      action: "api_key.created",
      details: { name: terms.name, permissions: terms.scopes.map((scope) => scope.permission) },
    });
    return created;
  });
}

const PAGE = 200;

/** Lists every key of an organization, newest first. @throws Error if the organization doesn't exist */
export async function listAllKeys(db: DatabasePool, organizationId: string): Promise<ApiKey[]> {
  await requireOrganization(db, organizationId);
  const keys: ApiKey[] = [];
  let afterId: string | null = null;
  for (;;) {
    const options = { organizationId, limit: PAGE, afterId };
    const rows: ApiKey[] = await withOrganization(db, organizationId, (tx) => listApiKeys(tx, options));
    keys.push(...rows.slice(0, PAGE));
    if (rows.length <= PAGE) return keys;
    afterId = keys.at(-1)?.id ?? null;
  }
}

/** Revokes a key, given its id, its prefix or the complete key. @throws Error if the key doesn't exist */
export async function revokeFoundKey(
  db: DatabasePool,
  { idOrKey, children }: { idOrKey: string; children: boolean },
): Promise<RevokedApiKeyResult> {
  const prefix = /^wmk_[0-9A-Za-z]{12}/.exec(idOrKey)?.[0];
  const address = await locateApiKey(db, prefix ?? idOrKey);
  if (address === null) throw new Error("there is no API key with this id or prefix");
  return revokeKeyAsOperator(db, { ...address, children });
}

function parseRequest(request: OperatorKeyRequest): CreateApiKeyRequest {
  const result = CreateApiKeyRequest.safeParse({
    name: request.name,
    ownerPrincipalType: request.ownerType,
    ownerPrincipalId: request.ownerId,
    scopes: request.scopes.map((scope) => (scope.startsWith("{") ? parseScope(scope) : scope)),
    expiresAt: request.expiresAt,
    allowedNetworks: request.networks,
  });
  if (result.success) return result.data;
  const faults = issueDetails(result.error.issues).map(({ path, message }) => `${path}: ${message}`);
  throw new Error(`the key can't be created. ${faults.join("; ")}`);
}

function parseScope(text: string): unknown {
  try {
    const scope: unknown = JSON.parse(text);
    return scope;
  } catch (error) {
    throw new Error("a --scope that starts with { must be a JSON object", { cause: error });
  }
}
