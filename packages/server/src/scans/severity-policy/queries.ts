import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { everyDueDays, SeverityPolicy, SomeDueDays } from "@waymark/shared/scans/severity-policy/schema.ts";

const PolicyRow = z.object({
  revision: z.number(),
  rules: SeverityPolicy.shape.rules,
  due_days: SomeDueDays,
  updated_at: z.string(),
});

/** The part of a policy that an organization sets. */
type PolicyContent = Pick<SeverityPolicy, "rules" | "dueDays">;

/** Returns an organization's severity policy; one of revision 0 without rules and deadlines if it has none. */
export async function findSeverityPolicy(
  tx: DatabaseTransactionConnection,
  { organizationId }: { organizationId: string },
): Promise<SeverityPolicy> {
  const row = await tx.maybeOne(sql.type(PolicyRow)`
    SELECT p.revision, p.rules, p.due_days, p.updated_at FROM severity_policies p WHERE p.organization_id = ${organizationId}`);
  return row === null
    ? { revision: 0, rules: [], dueDays: everyDueDays({}), updatedAt: null }
    : toPolicy(row);
}

/** Changes of one organization's policy come one after the other. */
export async function lockSeverityPolicy(
  tx: DatabaseTransactionConnection,
  { organizationId }: { organizationId: string },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    SELECT FROM pg_advisory_xact_lock(hashtextextended('severity policy ' || ${organizationId}, 0))`);
}

/** Stores a policy in place of the one before. */
export async function storeSeverityPolicy(
  tx: DatabaseTransactionConnection,
  policy: PolicyContent & { organizationId: string; updatedByKeyId: string },
): Promise<SeverityPolicy> {
  const { organizationId, rules, dueDays, updatedByKeyId } = policy;
  const row = await tx.one(sql.type(PolicyRow)`
    INSERT INTO severity_policies AS p (organization_id, revision, rules, due_days, updated_by_key_id)
    VALUES (${organizationId}, 1, ${sql.jsonb(rules)}, jsonb_strip_nulls(${sql.jsonb(dueDays)}), ${updatedByKeyId})
    ON CONFLICT (organization_id) DO UPDATE
      SET revision = p.revision + 1, rules = excluded.rules, due_days = excluded.due_days, updated_by_key_id = excluded.updated_by_key_id,
          updated_at = now()
    RETURNING p.revision, p.rules, p.due_days, p.updated_at`);
  return toPolicy(row);
}

function toPolicy(row: z.infer<typeof PolicyRow>): SeverityPolicy {
  const { revision, rules, due_days: dueDays, updated_at: updatedAt } = row;
  return { revision, rules, dueDays: everyDueDays(dueDays), updatedAt };
}
