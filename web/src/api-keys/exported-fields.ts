import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import type { ExportFields } from "../lib/table-export.ts";
import { describeActor, describeDetails } from "./describe-event.ts";
import { describeScope } from "./describe-scope.ts";
import { stateOf } from "./key-state.ts";

export const EXPORTED_KEY: ExportFields<ApiKey> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  prefix: ({ prefix }) => prefix,
  state: stateOf,
  ownerType: ({ ownerPrincipalType }) => ownerPrincipalType,
  ownerId: ({ ownerPrincipalId }) => ownerPrincipalId,
  ownerName: ({ ownerDisplayName }) => ownerDisplayName,
  scopes: ({ scopes }) => scopes.map(describeScope),
  createdBy: ({ createdBy }) => createdBy,
  createdAt: ({ createdAt }) => createdAt,
  lastUsedAt: ({ lastUsedAt }) => lastUsedAt,
  expiresAt: ({ expiresAt }) => expiresAt,
  replacedBy: ({ replacedBy }) => replacedBy,
};

export const EXPORTED_EVENT: ExportFields<AuditEvent> = {
  id: ({ id }) => id,
  createdAt: ({ createdAt }) => createdAt,
  action: ({ action }) => action,
  by: (event) => describeActor(event, (id) => id),
  actorKeyId: ({ actorKeyId }) => actorKeyId,
  apiKeyId: ({ apiKeyId }) => apiKeyId,
  details: describeDetails,
  address: ({ address }) => address,
  requestId: ({ requestId }) => requestId,
};
