import { type DatabaseTransactionConnection, type FragmentSqlToken, sql } from "slonik";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { isAmong } from "../../db/is-among.ts";
import { TODAY } from "../../db/today.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { DECISION_LIMITS } from "@waymark/shared/scans/finding-decisions/limits.ts";
import {
  DecisionKind,
  type DecisionOnFinding,
  DecisionState,
  type FindingDecision,
} from "@waymark/shared/scans/finding-decisions/schema.ts";
import {
  decisionFinder,
  type DecisionTarget,
} from "@waymark/shared/scans/finding-decisions/decision-finder.ts";
import type { IdentifiedFinding } from "@waymark/shared/scans/finding-decisions/finding-identity.ts";
import { HttpMethod } from "@waymark/shared/scans/schema.ts";
import { findingFingerprint } from "../finding-fingerprint.ts";

const DecisionRow = z.object({
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
  reason: z.string(),
  until: z.string(),
  finding_count: z.number(),
  created_by_key_id: z.string(),
  created_at: z.string(),
});

const STATE = sql.fragment`CASE WHEN d.until < ${TODAY} THEN 'expired' ELSE 'active' END`;
const EVERY = sql.fragment`'00000000-0000-0000-0000-000000000000'::uuid`;

/** Returns the condition that a decision covers a finding today. The findings are those of a statement, by its columns. */
export function isDecided(finding: {
  organizationId: string;
  serviceId: FragmentSqlToken;
  code: FragmentSqlToken;
  fingerprint: FragmentSqlToken;
}): FragmentSqlToken {
  const { organizationId, serviceId, code, fingerprint } = finding;
  return sql.fragment`EXISTS (
    SELECT FROM finding_decisions d
    WHERE d.organization_id = ${organizationId} AND coalesce(d.service_id, ${EVERY}) IN (${serviceId}, ${EVERY}) AND d.code = ${code}
      AND (d.fingerprint IS NULL OR d.fingerprint = ${fingerprint}) AND d.until >= ${TODAY})`;
}

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
  await tx.query(sql.type(z.object({}))`
    SELECT FROM pg_advisory_xact_lock(hashtextextended('decisions about findings ' || ${organizationId}, 0))`);
  const fingerprint = finding === null ? null : findingFingerprint({ ...finding, code });
  const id = await tx.oneFirst(sql.type(z.object({ id: z.string() }))`
    INSERT INTO finding_decisions AS d
      (organization_id, id, service_id, code, fingerprint, method, path, message, kind, reason, until, created_by_key_id)
    VALUES (${organizationId}, ${uuidv7()}, ${serviceId}::uuid, ${code}, ${fingerprint}::uuid, ${finding?.method ?? null},
            ${finding?.path ?? null}, ${finding?.message ?? null}, ${kind}, ${reason}, ${until}::date, ${createdByKeyId})
    ON CONFLICT (organization_id, coalesce(service_id, ${EVERY}), code, coalesce(fingerprint, ${EVERY})) DO UPDATE
      SET id = excluded.id, method = excluded.method, path = excluded.path, message = excluded.message, kind = excluded.kind,
          reason = excluded.reason, until = excluded.until, created_by_key_id = excluded.created_by_key_id, created_at = now()
    RETURNING d.id`);
  await assertRoom(tx, organizationId);
  const [stored] = await listDecisions(tx, {
    organizationId,
    ...NO_FILTER,
    serviceIds: null,
    countedIn:
      serviceId !== null && (countedIn === null || countedIn.includes(serviceId)) ? [serviceId] : countedIn,
    id,
    limit: 1,
  });
  if (stored === undefined) throw new Error("the decision that was stored is not there");
  return stored;
}

/** @throws AppError `limit_reached` */
async function assertRoom(tx: DatabaseTransactionConnection, organizationId: string): Promise<void> {
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
      SELECT d.*, ${STATE} AS state, s.name AS service_name
      FROM finding_decisions d
      LEFT JOIN services s ON s.organization_id = d.organization_id AND s.id = d.service_id
      WHERE d.organization_id = ${organizationId}
        AND (d.service_id IS NULL OR (s.id IS NOT NULL AND ${isAmong(sql.fragment`d.service_id`, serviceIds)}))
        AND (${id}::uuid IS NULL OR d.id = ${id}::uuid) AND (${afterId}::uuid IS NULL OR d.id < ${afterId}::uuid)
        AND (${code}::text IS NULL OR d.code = ${code}) AND (${state}::text IS NULL OR ${STATE} = ${state})
      ORDER BY d.id DESC
      LIMIT ${limit + 1}
    ), rules AS MATERIALIZED (
      SELECT r.service_id, r.code, r.finding_count, r.fingerprints
      FROM list_current_rules(${organizationId}, ${services}, NULL, ${code}, NULL, NULL, NULL) r
      WHERE r.code IN (SELECT p.code FROM page p)
    )
    SELECT p.id, p.kind, p.state, p.service_id, p.service_name, p.code, replace(p.fingerprint::text, '-', '') AS fingerprint, p.method,
           p.path, p.message, p.reason, to_char(p.until, 'YYYY-MM-DD') AS until, p.created_by_key_id, p.created_at, (
             SELECT coalesce(sum(CASE WHEN p.fingerprint IS NULL THEN r.finding_count
                                      ELSE (SELECT count(*) FROM unnest(r.fingerprints) f WHERE f = p.fingerprint) END), 0)::int
             FROM rules r WHERE r.code = p.code AND (p.service_id IS NULL OR r.service_id = p.service_id)) AS finding_count
    FROM page p
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
    reason: row.reason,
    until: row.until,
    findingCount: row.finding_count,
    decidedBy: row.created_by_key_id,
    decidedAt: row.created_at,
  };
}

const ActiveRow = DecisionRow.pick({
  id: true,
  kind: true,
  service_id: true,
  code: true,
  method: true,
  path: true,
  message: true,
  reason: true,
  until: true,
  created_by_key_id: true,
  created_at: true,
});

/**
 * Returns a function that finds the decision that covers a finding of a service today.
 *
 * @param wanted the services of the findings, and the codes of their rules
 */
export async function findDecisions(
  tx: DatabaseTransactionConnection,
  wanted: { organizationId: string; serviceIds: readonly string[]; codes: readonly string[] },
): Promise<(serviceId: string, finding: IdentifiedFinding) => DecisionOnFinding> {
  const { organizationId } = wanted;
  const [serviceIds, codes] = [[...new Set(wanted.serviceIds)], [...new Set(wanted.codes)]];
  const rows = await tx.any(sql.type(ActiveRow)`
    SELECT d.id, d.kind, d.service_id, d.code, d.method, d.path, d.message, d.reason, to_char(d.until, 'YYYY-MM-DD') AS until,
           d.created_by_key_id, d.created_at
    FROM finding_decisions d
    WHERE d.organization_id = ${organizationId}
      AND coalesce(d.service_id, ${EVERY}) = ANY (${sql.array(serviceIds, "uuid")} || ${EVERY}) AND d.code = ANY (${sql.array(codes, "text")})
      AND d.until >= ${TODAY}`);
  const find = decisionFinder(
    rows.map((row) => ({ ...row, serviceId: row.service_id, finding: findingOf(row) })),
  );
  return (serviceId, finding) => {
    const found = find(serviceId, finding);
    if (found === undefined) return null;
    const { id, kind, reason, until, created_by_key_id: decidedBy, created_at: decidedAt } = found;
    const target = found.finding !== null ? "finding" : found.serviceId !== null ? "rule" : "rule_everywhere";
    return { id, kind, reason, until, decidedBy, decidedAt, target };
  };
}

function findingOf({
  method,
  path,
  message,
}: Pick<z.infer<typeof DecisionRow>, "method" | "path" | "message">): FindingDecision["finding"] {
  return message === null ? null : { method, path, message };
}
