import { insertAuditEvent, OPERATOR } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import {
  setDecisionDaysMax,
  setSharesJourneyRuns,
  setStoresDescriptions,
} from "@waymark/server/organizations/queries.ts";
import { v7 as uuidv7 } from "uuid";

// The operator's settings of an organization. `db` is always a pool of the database's owner.

/**
 * Sets whether the descriptions behind an organization's scans are stored. It holds from the next request on.
 *
 * @throws Error if there is no such organization
 */
export function setDescriptions(
  db: DatabasePool,
  { organizationId: id, isOn }: { organizationId: string; isOn: boolean },
): Promise<void> {
  const details = { storesDescriptions: isOn };
  return changeSetting(db, { id, details, change: (tx) => setStoresDescriptions(tx, { id, isOn }) });
}

/**
 * Sets for how many days decisions about an organization's findings hold at most. Those that were made keep their last day.
 *
 * @throws Error if there is no such organization
 */
export function setDecisionDays(
  db: DatabasePool,
  { organizationId: id, days }: { organizationId: string; days: number },
): Promise<void> {
  const details = { findingDecisionDaysMax: days };
  return changeSetting(db, { id, details, change: (tx) => setDecisionDaysMax(tx, { id, days }) });
}

/**
 * Sets whether an organization's runs of journeys are shared by links. Off, links that there are do not work from the next request on.
 *
 * @throws Error if there is no such organization
 */
export function setRunLinks(
  db: DatabasePool,
  { organizationId: id, isOn }: { organizationId: string; isOn: boolean },
): Promise<void> {
  const details = { sharesJourneyRuns: isOn };
  return changeSetting(db, { id, details, change: (tx) => setSharesJourneyRuns(tx, { id, isOn }) });
}

async function changeSetting(
  db: DatabasePool,
  setting: {
    id: string;
    details: Record<string, boolean | number>;
    /** Returns false if there is no such organization. */
    change: (tx: DatabaseTransactionConnection) => Promise<boolean>;
  },
): Promise<void> {
  const { id: organizationId, details, change } = setting;
  await withOrganization(db, organizationId, async (tx) => {
    if (!(await change(tx))) throw new Error(`There is no organization ${organizationId}.`);
    await insertAuditEvent(tx, {
      ...OPERATOR,
      id: uuidv7(),
      organizationId,
      apiKeyId: null,
      action: "organization.updated",
      details,
    });
  });
}
