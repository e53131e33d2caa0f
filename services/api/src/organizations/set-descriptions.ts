import { insertAuditEvent, OPERATOR } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { setStoresDescriptions } from "@waymark/server/organizations/queries.ts";
import { v7 as uuidv7 } from "uuid";

/**
 * Sets whether the descriptions behind an organization's scans are stored. It holds from the next request on.
 *
 * @param db a pool of the database's owner
 * @throws Error if there is no such organization
 */
export async function setDescriptions(
  db: DatabasePool,
  { organizationId, isOn }: { organizationId: string; isOn: boolean },
): Promise<void> {
  await withOrganization(db, organizationId, async (tx) => {
    if (!(await setStoresDescriptions(tx, { id: organizationId, isOn })))
      throw new Error(`There is no organization ${organizationId}.`);
    await insertAuditEvent(tx, {
      ...OPERATOR,
      id: uuidv7(),
      organizationId,
      apiKeyId: null,
      action: "organization.updated",
      details: { storesDescriptions: isOn },
    });
  });
}
