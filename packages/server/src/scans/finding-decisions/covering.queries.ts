import { type DatabaseTransactionConnection, type FragmentSqlToken, sql } from "slonik";
import { PRINCIPAL_SUMMARY } from "../../db/principal-summary.ts";
import { TODAY } from "../../db/today.ts";
import {
  type DecidableFinding,
  decisionFinder,
} from "@waymark/shared/scans/finding-decisions/decision-finder.ts";
import type { DecisionOnFinding } from "@waymark/shared/scans/finding-decisions/schema.ts";
import { DecisionRow, EVERY, findingOf, JOIN_DECIDER } from "./queries.ts";

/** Returns the condition that a decision covers a finding today. The findings are those of a statement, by its columns. */
export function isDecided(finding: {
  organizationId: string;
  serviceId: FragmentSqlToken;
  severity: FragmentSqlToken;
  code: FragmentSqlToken;
  fingerprint: FragmentSqlToken;
}): FragmentSqlToken {
  const { organizationId, serviceId, severity, code, fingerprint } = finding;
  return sql.fragment`EXISTS (
    SELECT FROM finding_decisions d
    WHERE d.organization_id = ${organizationId} AND coalesce(d.service_id, ${EVERY}) IN (${serviceId}, ${EVERY}) AND d.code = ${code}
      AND (d.fingerprint IS NULL OR d.fingerprint = ${fingerprint}) AND d.until >= ${TODAY}
      AND ${severity} = ANY (severities_up_to(d.severity_max)))`;
}

const ActiveRow = DecisionRow.pick({
  id: true,
  kind: true,
  service_id: true,
  code: true,
  method: true,
  path: true,
  message: true,
  severity_max: true,
  reason: true,
  until: true,
  created_by_key_id: true,
  decider: true,
  created_at: true,
});

/** The decisions on a finding today. At most one of them is not null. */
interface DecisionsOnFinding {
  decision: DecisionOnFinding;
  exceededDecision: DecisionOnFinding;
}

/**
 * Returns a function that finds the decisions on a finding of a service today.
 *
 * @param wanted the services of the findings, and the codes of their rules
 */
export async function findDecisions(
  tx: DatabaseTransactionConnection,
  wanted: { organizationId: string; serviceIds: readonly string[]; codes: readonly string[] },
): Promise<(serviceId: string, finding: DecidableFinding) => DecisionsOnFinding> {
  const { organizationId } = wanted;
  const [serviceIds, codes] = [[...new Set(wanted.serviceIds)], [...new Set(wanted.codes)]];
  const rows = await tx.any(sql.type(ActiveRow)`
    SELECT d.id, d.kind, d.service_id, d.code, d.method, d.path, d.message, d.severity_max, d.reason,
           to_char(d.until, 'YYYY-MM-DD') AS until, d.created_by_key_id, ${PRINCIPAL_SUMMARY} AS decider,
           d.created_at
    FROM finding_decisions d
    ${JOIN_DECIDER}
    WHERE d.organization_id = ${organizationId}
      AND coalesce(d.service_id, ${EVERY}) = ANY (${sql.array(serviceIds, "uuid")} || ${EVERY}) AND d.code = ANY (${sql.array(codes, "text")})
      AND d.until >= ${TODAY}`);
  const find = decisionFinder(rows.map(toDecision));
  return (serviceId, finding) => {
    const { decision, exceeded } = find(serviceId, finding);
    return { decision: describe(decision), exceededDecision: describe(exceeded) };
  };
}

function toDecision(row: typeof ActiveRow._output) {
  const { id, kind, reason, until, code } = row;
  return {
    id,
    kind,
    reason,
    until,
    code,
    serviceId: row.service_id,
    finding: findingOf(row),
    maxSeverity: row.severity_max,
    decidedBy: row.created_by_key_id,
    decider: row.decider,
    decidedAt: row.created_at,
  };
}

function describe(found: ReturnType<typeof toDecision> | undefined): DecisionOnFinding {
  if (found === undefined) return null;
  const { serviceId, finding, code: _, ...decision } = found;
  const target = finding !== null ? "finding" : serviceId !== null ? "rule" : "rule_everywhere";
  return { ...decision, target };
}
