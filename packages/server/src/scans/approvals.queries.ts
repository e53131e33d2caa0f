import { type DatabaseTransactionConnection, sql } from "slonik";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { isAmong } from "../db/is-among.ts";
import { PRINCIPAL_SUMMARY } from "../db/principal-summary.ts";
import { TODAY } from "../db/today.ts";
import { PrincipalSummary } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import {
  APPROVAL_LIMITS,
  ApprovedChange,
  type ChangeApproval,
  ChangeApprovalState,
  type ServiceChangeApproval,
} from "@waymark/shared/scans/approvals/schema.ts";
import { useApprovals } from "./comparisons/tasks.queries.ts";
import { readApprovedChanges } from "./comparisons/verdicts.queries.ts";
import { JOIN_APPROVER } from "./approver.queries.ts";

interface ServiceRef {
  organizationId: string;
  serviceId: string;
}

const ApprovalRow = z.object({
  id: z.string(),
  fingerprint: z.string(),
  change: ApprovedChange.nullable(),
  state: ChangeApprovalState,
  reason: z.string(),
  until: z.string().nullable(),
  scan_run_id: z.string().nullable(),
  used_by_run_id: z.string().nullable(),
  created_by_key_id: z.string(),
  approver: PrincipalSummary.nullable(),
  created_at: z.string(),
});

/** The conditions of the states, written so that the index of approvals that are not used serves a list of open ones. */
const IN_STATE = {
  used: sql.fragment`a.used_by_run_id IS NOT NULL`,
  expired: sql.fragment`a.used_by_run_id IS NULL AND a.until < ${TODAY}`,
  open: sql.fragment`a.used_by_run_id IS NULL AND (a.until IS NULL OR a.until >= ${TODAY})`,
} satisfies Record<ChangeApprovalState, unknown>;
const STATE = sql.fragment`CASE WHEN ${IN_STATE.used} THEN 'used' WHEN ${IN_STATE.expired} THEN 'expired' ELSE 'open' END`;
const APPROVAL = sql.fragment`
  a.id, a.fingerprint, a.change, ${STATE} AS state, a.reason, to_char(a.until, 'YYYY-MM-DD') AS until, a.scan_run_id, a.used_by_run_id,
  a.created_by_key_id, ${PRINCIPAL_SUMMARY} AS approver, a.created_at`;
const SELECT_APPROVAL = sql.fragment`SELECT ${APPROVAL} FROM change_approvals a ${JOIN_APPROVER}`;

/** Returns the condition that an approval is in a state. Null: in any. */
function isInState(state: ChangeApprovalState | null) {
  return state === null ? sql.fragment`true` : IN_STATE[state];
}

/** True if a day is over, in UTC, by the clock of the database. */
export function isOver(tx: DatabaseTransactionConnection, day: string): Promise<boolean> {
  return tx.oneFirst(sql.type(z.object({ is_over: z.boolean() }))`SELECT ${day}::date < ${TODAY} AS is_over`);
}

/**
 * Approves changes of a service. A change whose approval is not used gets the new reason and end. If the run is promoted and has the
 * changes, it uses the approvals up.
 *
 * @throws AppError `limit_reached`
 */
export async function approveChanges(
  tx: DatabaseTransactionConnection,
  approval: ServiceRef & {
    fingerprints: readonly string[];
    reason: string;
    until: string | null;
    scanRunId: string | null;
    createdByKeyId: string;
  },
): Promise<ChangeApproval[]> {
  const { organizationId, serviceId, reason, until, scanRunId, createdByKeyId } = approval;
  await tx.query(sql.type(z.object({}))`SELECT FROM lock_change_approvals(${organizationId}, ${serviceId})`);
  const fingerprints = [...new Set(approval.fingerprints)];
  const newIds = fingerprints.map(() => uuidv7());
  const known =
    scanRunId === null
      ? new Map<string, ApprovedChange>()
      : await readApprovedChanges(tx, { organizationId, scanRunId, fingerprints });
  const changes = fingerprints.map((fingerprint) => JSON.stringify(known.get(fingerprint) ?? null));
  const ids = await tx.anyFirst(sql.type(z.object({ id: z.string() }))`
    INSERT INTO change_approvals AS a
      (organization_id, id, service_id, fingerprint, change, reason, until, scan_run_id, created_by_key_id)
    SELECT ${organizationId}, n.id, ${serviceId}, n.fingerprint, nullif(n.change::jsonb, 'null'), ${reason}, ${until}::date,
           ${scanRunId}::uuid, ${createdByKeyId}
    FROM unnest(${sql.array(newIds, "uuid")}, ${sql.array(fingerprints, "text")}, ${sql.array(changes, "text")})
      AS n (id, fingerprint, change)
    ON CONFLICT (organization_id, service_id, fingerprint) WHERE used_by_run_id IS NULL DO UPDATE
      SET id = excluded.id, change = coalesce(excluded.change, a.change), reason = excluded.reason, until = excluded.until, scan_run_id = excluded.scan_run_id,
          created_by_key_id = excluded.created_by_key_id, created_at = now()
    RETURNING id`);
  await assertRoom(tx, approval);
  if (scanRunId !== null) await useApprovals(tx, { organizationId, scanRunId });
  const rows = await tx.any(sql.type(ApprovalRow)`
    ${SELECT_APPROVAL}
    WHERE a.organization_id = ${organizationId} AND a.id = ANY (${sql.array([...ids], "uuid")})
    ORDER BY a.fingerprint`);
  return rows.map(toApproval);
}

/** @throws AppError `limit_reached` */
async function assertRoom(
  tx: DatabaseTransactionConnection,
  { organizationId, serviceId }: ServiceRef,
): Promise<void> {
  const count = await tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*)::int AS count FROM change_approvals a
    WHERE a.organization_id = ${organizationId} AND a.service_id = ${serviceId} AND a.used_by_run_id IS NULL`);
  if (count <= APPROVAL_LIMITS.perServiceMax) return;
  throw new AppError(
    "limit_reached",
    `A service has at most ${APPROVAL_LIMITS.perServiceMax.toLocaleString("en")} approvals that are open or have expired. End some of them.`,
  );
}

/** Lists the approvals of a service, newest first: up to `limit + 1`, so that the caller sees whether there are more. */
export async function listApprovals(
  tx: DatabaseTransactionConnection,
  options: ServiceRef & { state: ChangeApprovalState | null; limit: number; afterId: string | null },
): Promise<ChangeApproval[]> {
  const { organizationId, serviceId, state, limit, afterId } = options;
  const rows = await tx.any(sql.type(ApprovalRow)`
    ${SELECT_APPROVAL}
    WHERE a.organization_id = ${organizationId} AND a.service_id = ${serviceId}
      AND (${afterId}::uuid IS NULL OR a.id < ${afterId}::uuid) AND ${isInState(state)}
    ORDER BY a.id DESC
    LIMIT ${limit + 1}`);
  return rows.map(toApproval);
}

const ServiceApprovalRow = ApprovalRow.extend({
  service_id: z.string(),
  service_name: z.string(),
  pull_request: z.string().nullable(),
});

/**
 * Lists the approvals of services, newest first: up to `limit + 1`, so that the caller sees whether there are more.
 *
 * @param options.serviceIds null for all services
 */
export async function listServiceApprovals(
  tx: DatabaseTransactionConnection,
  options: {
    organizationId: string;
    serviceIds: readonly string[] | null;
    state: ChangeApprovalState | null;
    limit: number;
    afterId: string | null;
  },
): Promise<Omit<ServiceChangeApproval, "ownerTeam">[]> {
  const { organizationId, serviceIds, state, limit, afterId } = options;
  const rows = await tx.any(sql.type(ServiceApprovalRow)`
    SELECT ${APPROVAL}, a.service_id, s.name AS service_name, r.source->>'pullRequest' AS pull_request
    FROM change_approvals a
    JOIN services s ON s.organization_id = a.organization_id AND s.id = a.service_id
    LEFT JOIN scan_runs r ON r.organization_id = a.organization_id AND r.id = a.scan_run_id
    ${JOIN_APPROVER}
    WHERE a.organization_id = ${organizationId} AND ${isAmong(sql.fragment`a.service_id`, serviceIds)}
      AND (${afterId}::uuid IS NULL OR a.id < ${afterId}::uuid) AND ${isInState(state)}
    ORDER BY a.id DESC
    LIMIT ${limit + 1}`);
  return rows.map((row) => {
    const { service_id, service_name, pull_request } = row;
    return {
      ...toApproval(row),
      serviceId: service_id,
      serviceName: service_name,
      pullRequest: pull_request,
    };
  });
}

/** Ends the approval of a change, unless it is used. @returns whether there was one */
export async function endApproval(
  tx: DatabaseTransactionConnection,
  { organizationId, serviceId, fingerprint }: ServiceRef & { fingerprint: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.type(z.object({}))`
    DELETE FROM change_approvals a
    WHERE a.organization_id = ${organizationId} AND a.service_id = ${serviceId} AND a.fingerprint = ${fingerprint}
      AND a.used_by_run_id IS NULL`);
  return rowCount > 0;
}

function toApproval(row: z.infer<typeof ApprovalRow>): ChangeApproval {
  return {
    id: row.id,
    fingerprint: row.fingerprint,
    change: row.change,
    state: row.state,
    reason: row.reason,
    until: row.until,
    scanRunId: row.scan_run_id,
    usedByScanRunId: row.used_by_run_id,
    approvedBy: row.created_by_key_id,
    approver: row.approver,
    approvedAt: row.created_at,
  };
}
