import { Uuid } from "../lib/schema.ts";
import { PageQuery } from "../operations/page-query.ts";
import { AuditAction, AuditEventPage } from "./schema.ts";
import { operation } from "../operations/operation.ts";
import * as addresses from "./addresses.ts";

const AuditQuery = PageQuery.extend({
  apiKeyId: Uuid.optional().meta({ description: "Only events about this key." }),
  actorKeyId: Uuid.optional().meta({ description: "Only actions and refused requests of this key." }),
  actorPrincipalId: Uuid.optional().meta({
    description: "Only actions and refused requests of the keys of this user or service account.",
  }),
  action: AuditAction.optional(),
});

export const listAuditEvents = operation({
  id: "listAuditEvents",
  ...addresses.listAuditEvents,
  summary: "List audit events",
  description:
    "Newest first: changes of keys, promotions, sign-ins, operator commands, and refused requests of known keys (each at most once a minute).",
  tag: "audit",
  access: { needs: ["audit:read"] },
  query: AuditQuery,
  responses: { 200: AuditEventPage },
});
