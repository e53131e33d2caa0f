import { type DatabaseTransactionConnection, sql } from "slonik";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { isAmong } from "../../db/is-among.ts";
import { joinOwner, PRINCIPAL_SUMMARY } from "../../db/principal-summary.ts";
import { TODAY } from "../../db/today.ts";
import { PrincipalSummary } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { DECISION_LIMITS } from "@waymark/shared/scans/finding-decisions/limits.ts";
import {
  DecisionKind,
  DecisionState,
  type FindingDecision,
} from "@waymark/shared/scans/finding-decisions/schema.ts";
import type { DecisionTarget } from "@waymark/shared/scans/finding-decisions/decision-finder.ts";
import { HttpMethod, Severity } from "@waymark/shared/scans/schema.ts";
import { findingFingerprint } from "../finding-fingerprint.ts";

export const DecisionRow = z.object({
  id: z.string(),
  kind: DecisionKind,
  state: DecisionState,
  service_id: z.string().nullable(),
  service_name: z.string().nullable(),
  code: z.string(),
  fingerprint: z.string().nullable(),
  method: HttpMethod.nullable(),
  path: z.string().nullable(),
  message: z.string().nullable(),
  severity_max: Severity,
  reason: z.string(),
  until: z.string(),
  finding_count: z.number(),
  exceeded_count: z.number(),
  created_by_key_id: z.string(),
  decider: PrincipalSummary.nullable(),
  created_at: z.string(),
});

const STATE = sql.fragment`CASE WHEN d.until < ${TODAY} THEN 'expired' ELSE 'active' END`;
export const EVERY = sql.fragment`'00000000-0000-0000-0000-000000000000'::uuid`;

/** Puts a decision in the place of the one for the same target. */
export const REPLACING = sql.fragment`
    ON CONFLICT (organization_id, coalesce(service_id, ${EVERY}), code, coalesce(fingerprint, ${EVERY})) DO UPDATE
      SET id = excluded.id, method = excluded.method, path = excluded.path, message = excluded.message, kind = excluded.kind,
          severity_max = excluded.severity_max, reason = excluded.reason, until = excluded.until, created_by_key_id = excluded.created_by_key_id, created_at = now()`;

/** Joins the owner `p` of the key that made the decision `d`. */
export const JOIN_DECIDER = joinOwner({
  organizationId: sql.fragment`d.organization_id`,
  keyId: sql.fragment`d.created_by_key_id`,
});

/** Returns today and the last day that a decision may have, in UTC, by the clock of the database. */
export function decisionDays(
  tx: DatabaseTransactionConnection,
  { organizationId }: { organizationId: string },
): Promise<{ today: string; last: string }> {
  return tx.one(sql.type(z.object({ today: z.string(), last: z.string() }))`
    SELECT to_char(${TODAY}, 'YYYY-MM-DD') AS today, to_char(${TODAY} + o.finding_decision_days_max, 'YYYY-MM-DD') AS last
    FROM organizations o WHERE o.id = ${organizationId}`);
}

export interface NewDecision extends DecisionTarget {
  organizationId: string;
  kind: DecisionKind;
  /** Null: the highest severity of the findings that it is for. */
  maxSeverity: Severity | null;
  reason: string;
  until: string;
  createdByKeyId: string;
}

/**
 * Stores a decision, in the place of one for the same target.
 *
 * @param options.countedIn the services whose findings are counted; null for all
 * @throws AppError `limit_reached`
 */
export async function storeDecision(
  tx: DatabaseTransactionConnection,
  decision: NewDecision,
  { countedIn }: { countedIn: readonly string[] | null },
): Promise<FindingDecision> {
  const { organizationId, serviceId, code, finding, kind, reason, until, createdByKeyId } = decision;
  const countedServices =
    serviceId !== null && (countedIn === null || countedIn.includes(serviceId)) ? [serviceId] : countedIn;
  await lockDecisions(tx, organizationId);
  const fingerprint = finding === null ? null : findingFingerprint({ ...finding, code });
  const maxSeverity =
    decision.maxSeverity ??
    (await highestSeverity(tx, { organizationId, code, fingerprint, countedServices }));
  const id = await tx.oneFirst(sql.type(z.object({ id: z.string() }))`
    INSERT INTO finding_decisions AS d
      (organization_id, id, service_id, code, fingerprint, method, path, message, kind, severity_max, reason, until,
       created_by_key_id)
    VALUES (${organizationId}, ${uuidv7()}, ${serviceId}::uuid, ${code}, ${fingerprint}::uuid, ${finding?.method ?? null},
            ${finding?.path ?? null}, ${finding?.message ?? null}, ${kind}, ${maxSeverity}, ${reason}, ${until}::date,
            ${createdByKeyId})
    ${REPLACING}
    RETURNING d.id`);
  await assertRoom(tx, organizationId);
  const [stored] = await listDecisions(tx, {
    organizationId,
    ...NO_FILTER,
    serviceIds: null,
    countedIn: countedServices,
    id,
    limit: 1,
  });
  if (stored === undefined) throw new Error("the decision that was stored is not there");
  return stored;
}

/** Returns the highest severity of a rule's or a fingerprint's findings in current runs of services; `critical` if there are none. */
async function highestSeverity(
  tx: DatabaseTransactionConnection,
  target: {
    organizationId: string;
    code: string;
    fingerprint: string | null;
    countedServices: readonly string[] | null;
  },
): Promise<Severity> {
  const { organizationId, code, fingerprint, countedServices } = target;
  const services = countedServices === null ? sql.fragment`NULL` : sql.array(countedServices, "uuid");
  const found = await tx.maybeOneFirst(sql.type(z.object({ severity: Severity }))`
    SELECT r.severity FROM list_current_rules(${organizationId}, ${services}, NULL, ${code}, NULL, NULL, NULL) r
    WHERE ${fingerprint}::uuid IS NULL OR ${fingerprint}::uuid = ANY (r.fingerprints)
    ORDER BY severity_rank(r.severity)
    LIMIT 1`);
  return found ?? "critical";
}

/** Makes the changes of an organization's decisions come one after the other, so that they have a limit. */
export async function lockDecisions(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    SELECT FROM pg_advisory_xact_lock(hashtextextended('decisions about findings ' || ${organizationId}, 0))`);
}

/** @throws AppError `limit_reached` */
export async function assertRoom(tx: DatabaseTransactionConnection, organizationId: string): Promise<void> {
  const count = await tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*)::int AS count FROM finding_decisions d WHERE d.organization_id = ${organizationId}`);
  if (count <= DECISION_LIMITS.perOrganizationMax) return;
  throw new AppError(
    "limit_reached",
    `An organization has at most ${DECISION_LIMITS.perOrganizationMax.toLocaleString("en")} decisions about findings. Revoke some of them.`,
  );
}

const NO_FILTER = { state: null, code: null, afterId: null } as const;

/**
 * Lists decisions, newest first: up to `limit + 1`, so that the caller sees whether there are more. Those for every service are among them, and
 * their findings are counted in the visible services.
 *
 * @param options.serviceIds the visible services; null for all
 * @param options.countedIn the services whose findings are counted; default: the visible ones
 */
// oxlint-disable-next-line max-lines-per-function -- one statement
export async function listDecisions(
  tx: DatabaseTransactionConnection,
  options: {
    organizationId: string;
    serviceIds: readonly string[] | null;
    countedIn?: readonly string[] | null;
    id?: string;
    state: DecisionState | null;
    code: string | null;
    limit: number;
    afterId: string | null;
  },
): Promise<FindingDecision[]> {
  const {
    organizationId,
    serviceIds,
    countedIn = serviceIds,
    id = null,
    state,
    code,
    limit,
    afterId,
  } = options;
  const services = countedIn === null ? sql.fragment`NULL` : sql.array(countedIn, "uuid");
  const rows = await tx.any(sql.type(DecisionRow)`
    WITH page AS MATERIALIZED (
      SELECT d.*, ${STATE} AS state, s.name AS service_name, ${PRINCIPAL_SUMMARY} AS decider
      FROM finding_decisions d
      LEFT JOIN services s ON s.organization_id = d.organization_id AND s.id = d.service_id
      ${JOIN_DECIDER}
      WHERE d.organization_id = ${organizationId}
        AND (d.service_id IS NULL OR (s.id IS NOT NULL AND ${isAmong(sql.fragment`d.service_id`, serviceIds)}))
        AND (${id}::uuid IS NULL OR d.id = ${id}::uuid) AND (${afterId}::uuid IS NULL OR d.id < ${afterId}::uuid)
        AND (${code}::text IS NULL OR d.code = ${code}) AND (${state}::text IS NULL OR ${STATE} = ${state})
      ORDER BY d.id DESC
      LIMIT ${limit + 1}
    ), rules AS MATERIALIZED (
      SELECT r.service_id, r.severity, r.code, r.finding_count, r.fingerprints
      FROM list_current_rules(${organizationId}, ${services}, NULL, ${code}, NULL, NULL, NULL) r
      WHERE r.code IN (SELECT p.code FROM page p)
    )
    SELECT p.id, p.kind, p.state, p.service_id, p.service_name, p.code, replace(p.fingerprint::text, '-', '') AS fingerprint, p.method,
           p.path, p.message, p.severity_max, p.reason, to_char(p.until, 'YYYY-MM-DD') AS until, p.created_by_key_id, p.decider,
           p.created_at,
           count.finding_count, count.exceeded_count
    FROM page p
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(m.matching) FILTER (WHERE m.is_covered), 0)::int AS finding_count,
             coalesce(sum(m.matching) FILTER (WHERE NOT m.is_covered), 0)::int AS exceeded_count
      FROM (
        SELECT r.severity = ANY (severities_up_to(p.severity_max)) AS is_covered,
               CASE WHEN p.fingerprint IS NULL THEN r.finding_count
                    ELSE (SELECT count(*) FROM unnest(r.fingerprints) f WHERE f = p.fingerprint) END AS matching
        FROM rules r WHERE r.code = p.code AND (p.service_id IS NULL OR r.service_id = p.service_id)) m) count
    ORDER BY p.id DESC`);
  return rows.map(toDecision);
}

/** Finds the service of a decision. @returns null for every service, undefined if there is no such decision */
export async function findServiceOfDecision(
  tx: DatabaseTransactionConnection,
  { organizationId, decisionId }: { organizationId: string; decisionId: string },
): Promise<string | null | undefined> {
  const row = await tx.maybeOne(sql.type(z.object({ service_id: z.string().nullable() }))`
    SELECT d.service_id FROM finding_decisions d WHERE d.organization_id = ${organizationId} AND d.id = ${decisionId}`);
  return row === null ? undefined : row.service_id;
}

const Revoked = z.object({ kind: DecisionKind, code: z.string(), message: z.string().nullable() });

/** Deletes a decision. @returns what it was, or null if there is none */
export async function deleteDecision(
  tx: DatabaseTransactionConnection,
  { organizationId, decisionId }: { organizationId: string; decisionId: string },
): Promise<z.infer<typeof Revoked> | null> {
  return tx.maybeOne(sql.type(Revoked)`
    DELETE FROM finding_decisions d WHERE d.organization_id = ${organizationId} AND d.id = ${decisionId}
    RETURNING d.kind, d.code, d.message`);
}

function toDecision(row: z.infer<typeof DecisionRow>): FindingDecision {
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    serviceId: row.service_id,
    serviceName: row.service_name,
    code: row.code,
    finding: findingOf(row),
    fingerprint: row.fingerprint,
    maxSeverity: row.severity_max,
    reason: row.reason,
    until: row.until,
    findingCount: row.finding_count,
    exceededCount: row.exceeded_count,
    decidedBy: row.created_by_key_id,
    decider: row.decider,
    decidedAt: row.created_at,
  };
}

export function findingOf({
  method,
  path,
  message,
}: Pick<z.infer<typeof DecisionRow>, "method" | "path" | "message">): FindingDecision["finding"] {
  return message === null ? null : { method, path, message };
}
