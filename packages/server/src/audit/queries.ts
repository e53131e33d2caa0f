import {
  type DatabaseTransactionConnection,
  type FragmentSqlToken,
  type SerializableValue,
  sql,
} from "slonik";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { joinOwner, PRINCIPAL_SUMMARY } from "../db/principal-summary.ts";
import { PrincipalSummary } from "@waymark/shared/api-keys/schema.ts";
import { AuditAction, type AuditEvent } from "@waymark/shared/audit/schema.ts";

/** The actor of an event, and where the request came from. */
export interface AuditOrigin {
  actorKeyId: string | null;
  address: string | null;
  requestId: string | null;
  /** The actor, if it had no key. */
  by?: "operator" | "schedule" | "trust_policy";
}

/** The operator on the command line, without a key. */
export const OPERATOR: AuditOrigin = { actorKeyId: null, address: null, requestId: null, by: "operator" };

export interface NewAuditEvent extends AuditOrigin {
  /** UUID v7: events are sorted by it. */
  id: string;
  organizationId: string;
  /** Null if the event concerns no key. */
  apiKeyId: string | null;
  action: Exclude<AuditAction, "api_key.use_denied">;
  /** The route of a refused request. */
  route?: string;
  details?: Record<string, SerializableValue>;
  /** For actions that a caller can repeat at will: one event a minute is recorded for each text. */
  onceAMinute?: string;
}

/** Records a change in the transaction that makes it, so that both are committed or neither. */
export async function insertAuditEvent(
  tx: DatabaseTransactionConnection,
  event: NewAuditEvent,
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    INSERT INTO audit_events (organization_id, id, action, actor_key_id, api_key_id, route, details, address,
                              request_id, once_a_minute)
    VALUES (${event.organizationId}, ${event.id}, ${event.action}, ${event.actorKeyId}, ${event.apiKeyId},
            ${event.route ?? null}, ${sql.jsonb(detailsOf(event))}, ${event.address}, ${event.requestId},
            ${event.onceAMinute ?? null})
    ON CONFLICT (organization_id, once_a_minute, date_trunc('minute', created_at AT TIME ZONE 'UTC'))
      WHERE once_a_minute IS NOT NULL DO NOTHING`);
}

/** Records the same change of many things that are no keys, in one statement. */
export async function insertChangesOfMany(
  tx: DatabaseTransactionConnection,
  change: AuditOrigin & {
    organizationId: string;
    action: NewAuditEvent["action"];
    /** The details of each thing. */
    details: readonly NonNullable<NewAuditEvent["details"]>[];
  },
): Promise<void> {
  const { by } = change;
  const rows = change.details.map((details) => ({ id: uuidv7(), details: detailsOf({ by, details }) }));
  await tx.query(sql.type(z.object({}))`
    INSERT INTO audit_events (organization_id, id, action, actor_key_id, details, address, request_id)
    SELECT ${change.organizationId}, changed.id, ${change.action}, ${change.actorKeyId}::uuid, changed.details, ${change.address},
           ${change.requestId}
    FROM jsonb_to_recordset(${sql.jsonb(rows)}) AS changed (id uuid, details jsonb)`);
}

/** Records the same change of many keys, in one statement. */
export async function insertAuditEvents(
  tx: DatabaseTransactionConnection,
  change: Omit<NewAuditEvent, "id" | "apiKeyId" | "route" | "onceAMinute"> & {
    keys: readonly { eventId: string; apiKeyId: string }[];
  },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    INSERT INTO audit_events (organization_id, id, action, actor_key_id, api_key_id, details, address, request_id)
    SELECT ${change.organizationId}, changed.id, ${change.action}, ${change.actorKeyId}::uuid, changed.api_key_id,
           ${sql.jsonb(detailsOf(change))}, ${change.address}, ${change.requestId}
    FROM unnest(${uuids(change.keys.map((key) => key.eventId))}, ${uuids(change.keys.map((key) => key.apiKeyId))})
         AS changed (id, api_key_id)`);
}

function detailsOf({
  by,
  details,
}: {
  by?: AuditOrigin["by"] | undefined;
  details?: NewAuditEvent["details"];
}) {
  return { ...(by === undefined ? {} : { by }), ...details };
}

function uuids(values: string[]) {
  return sql.array(values, "uuid");
}

interface DeniedUse {
  id: string;
  organizationId: string;
  apiKeyId: string;
  route: string;
  code: string;
  message: string;
  address: string;
  requestId: string;
  /** True for a request of a console session: the console asks for more than a limited key may read. */
  isOfSession: boolean;
}

/** Records that a key was refused, once a minute for each key, route and code, and apart from that for its console sessions. */
export async function insertDeniedUse(tx: DatabaseTransactionConnection, use: DeniedUse): Promise<void> {
  const details = { message: use.message, ...(use.isOfSession ? { session: true } : {}) };
  await tx.query(sql.type(z.object({}))`
    INSERT INTO audit_events (organization_id, id, action, actor_key_id, api_key_id, route, code, details,
                              address, request_id)
    VALUES (${use.organizationId}, ${use.id}, 'api_key.use_denied', ${use.apiKeyId}, ${use.apiKeyId},
            ${use.route}, ${use.code}, ${sql.jsonb(details)}, ${use.address}, ${use.requestId})
    ON CONFLICT DO NOTHING`);
}

const AuditEventRow = z.object({
  id: z.string(),
  action: AuditAction,
  actor_key_id: z.string().nullable(),
  api_key_id: z.string().nullable(),
  route: z.string().nullable(),
  code: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
  address: z.string().nullable(),
  request_id: z.string().nullable(),
  created_at: z.string(),
  /** The owner of the acting key, which never changes. */
  actor: PrincipalSummary.nullable(),
});

/** Lists events, newest first: up to `limit + 1`, so that the caller sees whether there are more. Skips unknown actions. */
export async function listAuditEvents(
  tx: DatabaseTransactionConnection,
  options: {
    organizationId: string;
    limit: number;
    afterId: string | null;
    apiKeyId: string | null;
    actorKeyId: string | null;
    actorPrincipalId: string | null;
    action: AuditAction | null;
  },
): Promise<AuditEvent[]> {
  const rows = await tx.any(sql.type(AuditEventRow)`
    SELECT e.id, e.action, e.actor_key_id, e.api_key_id, e.route, e.code, e.details, e.address, e.request_id, e.created_at,
           ${PRINCIPAL_SUMMARY} AS actor
    FROM audit_events e
    ${joinOwner({ organizationId: sql.fragment`e.organization_id`, keyId: sql.fragment`e.actor_key_id` })}
    WHERE e.organization_id = ${options.organizationId}
      AND (${options.afterId}::uuid IS NULL OR e.id < ${options.afterId}::uuid)
      AND (${options.apiKeyId}::uuid IS NULL OR e.api_key_id = ${options.apiKeyId}::uuid)
      AND (${options.actorKeyId}::uuid IS NULL OR e.actor_key_id = ${options.actorKeyId}::uuid)
      AND ${isBy(options)}
      AND e.action = ANY(${sql.array(options.action === null ? AuditAction.options : [options.action], "text")})
    ORDER BY e.id DESC
    LIMIT ${options.limit + 1}`);
  return rows.map((row) => ({
    id: row.id,
    action: row.action,
    actorKeyId: row.actor_key_id,
    actor: row.actor,
    apiKeyId: row.api_key_id,
    route: row.route,
    code: row.code,
    details: row.details,
    address: row.address,
    requestId: row.request_id,
    createdAt: row.created_at,
  }));
}

function isBy(options: { organizationId: string; actorPrincipalId: string | null }): FragmentSqlToken {
  const { organizationId, actorPrincipalId } = options;
  if (actorPrincipalId === null) return sql.fragment`true`;
  return sql.fragment`e.actor_key_id IN (
    SELECT id FROM api_keys WHERE organization_id = ${organizationId} AND owner_principal_id = ${actorPrincipalId}::uuid)`;
}

const REFUSALS_READ_MAX = 1000;

const LastRefusal = z.object({
  apiKeyId: z.string(),
  route: z.string(),
  code: z.string(),
  refusedAt: z.string(),
  count: z.number(),
});

/**
 * Finds the last refused request of each key since a time, without those of console sessions: the newest first, at most `limit`, and how
 * many keys there are. It considers the newest 1,000 such refusals: a key of which all are older is left out.
 */
export async function listLastRefusals(
  tx: DatabaseTransactionConnection,
  { organizationId, since, limit }: { organizationId: string; since: Date; limit: number },
): Promise<{ refusals: readonly z.infer<typeof LastRefusal>[]; count: number }> {
  const rows = await tx.any(sql.type(LastRefusal)`
    SELECT last.api_key_id AS "apiKeyId", last.route, last.code, last.created_at AS "refusedAt", count(*) OVER ()::int AS count
    FROM (
      SELECT DISTINCT ON (denied.api_key_id) denied.*
      FROM (
        SELECT id, api_key_id, route, code, created_at
        FROM audit_events
        WHERE organization_id = ${organizationId} AND id >= ${firstIdAt(since)}::uuid AND action = 'api_key.use_denied'
          AND NOT details @> '{"session": true}'
        ORDER BY id DESC
        LIMIT ${REFUSALS_READ_MAX}
      ) denied
      ORDER BY denied.api_key_id, denied.id DESC
    ) last
    ORDER BY last.id DESC
    LIMIT ${limit}`);
  return { refusals: rows, count: rows[0]?.count ?? 0 };
}

/** The smallest UUID v7 of a time: ids begin with their milliseconds. */
function firstIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
