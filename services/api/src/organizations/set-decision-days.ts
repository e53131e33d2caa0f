import { insertAuditEvent, OPERATOR } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { setDecisionDaysMax } from "@waymark/server/organizations/queries.ts";
import { v7 as uuidv7 } from "uuid";

/**
 * Sets for how many days decisions about an organization's findings hold at most. Those that were made keep their last day.
 *
 * @param db a pool of the database's owner
 * @throws Error if there is no such organization
 */
export async function setDecisionDays(
  db: DatabasePool,
  { organizationId, days }: { organizationId: string; days: number },
): Promise<void> {
  await withOrganization(db, organizationId, async (tx) => {
    if (!(await setDecisionDaysMax(tx, { id: organizationId, days })))
      throw new Error(`There is no organization ${organizationId}.`);
    await insertAuditEvent(tx, {
      ...OPERATOR,
      id: uuidv7(),
      organizationId,
      apiKeyId: null,
      action: "organization.updated",
      details: { findingDecisionDaysMax: days },
    });
  });
}
