import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { SeverityPolicy } from "@waymark/shared/scans/severity-policy/schema.ts";

const PolicyRow = z.object({
  revision: z.number(),
  rules: SeverityPolicy.shape.rules,
  updated_at: z.string(),
});

type Rules = SeverityPolicy["rules"];

/** Returns an organization's severity policy; one of revision 0 without rules if it has none. */
export async function findSeverityPolicy(
  tx: DatabaseTransactionConnection,
  { organizationId }: { organizationId: string },
): Promise<SeverityPolicy> {
  const row = await tx.maybeOne(sql.type(PolicyRow)`
    SELECT p.revision, p.rules, p.updated_at FROM severity_policies p WHERE p.organization_id = ${organizationId}`);
  return row === null ? { revision: 0, rules: [], updatedAt: null } : toPolicy(row);
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
  policy: { organizationId: string; rules: Rules; updatedByKeyId: string },
): Promise<SeverityPolicy> {
  const { organizationId, rules, updatedByKeyId } = policy;
  const row = await tx.one(sql.type(PolicyRow)`
    INSERT INTO severity_policies AS p (organization_id, revision, rules, updated_by_key_id)
    VALUES (${organizationId}, 1, ${sql.jsonb(rules)}, ${updatedByKeyId})
    ON CONFLICT (organization_id) DO UPDATE
      SET revision = p.revision + 1, rules = excluded.rules, updated_by_key_id = excluded.updated_by_key_id, updated_at = now()
    RETURNING p.revision, p.rules, p.updated_at`);
  return toPolicy(row);
}

function toPolicy({ revision, rules, updated_at: updatedAt }: z.infer<typeof PolicyRow>): SeverityPolicy {
  return { revision, rules, updatedAt };
}
