import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";

export async function insertOrganization(
  db: CommonQueryMethods,
  organization: { id: string; name: string },
): Promise<void> {
  await db.query(sql.type(z.object({}))`
    INSERT INTO organizations (id, name) VALUES (${organization.id}, ${organization.name})`);
}

export async function organizationExists(db: CommonQueryMethods, id: string): Promise<boolean> {
  return db.exists(sql.type(z.object({}))`SELECT FROM organizations WHERE id = ${id}`);
}

/** True if the descriptions behind the scans of an organization are stored. */
export async function storesDescriptions(db: CommonQueryMethods, id: string): Promise<boolean> {
  return db.oneFirst(sql.type(z.object({ stores_descriptions: z.boolean() }))`
    SELECT stores_descriptions FROM organizations WHERE id = ${id}`);
}

/** True if runs of journeys may be shared by links. */
export async function sharesJourneyRuns(db: CommonQueryMethods, id: string): Promise<boolean> {
  return db.oneFirst(sql.type(z.object({ shares_journey_runs: z.boolean() }))`
    SELECT shares_journey_runs FROM organizations WHERE id = ${id}`);
}

/** Sets whether runs of journeys may be shared by links. @returns false if there is no such organization */
export async function setSharesJourneyRuns(
  db: CommonQueryMethods,
  { id, isOn }: { id: string; isOn: boolean },
): Promise<boolean> {
  const { rowCount } = await db.query(sql.type(z.object({}))`
    UPDATE organizations SET shares_journey_runs = ${isOn} WHERE id = ${id}`);
  return rowCount > 0;
}

/** Sets whether descriptions are stored. @returns false if there is no such organization */
export async function setStoresDescriptions(
  db: CommonQueryMethods,
  { id, isOn }: { id: string; isOn: boolean },
): Promise<boolean> {
  const { rowCount } = await db.query(sql.type(z.object({}))`
    UPDATE organizations SET stores_descriptions = ${isOn} WHERE id = ${id}`);
  return rowCount > 0;
}

/** Sets for how many days decisions about findings hold at most. @returns false if there is no such organization */
export async function setDecisionDaysMax(
  db: CommonQueryMethods,
  { id, days }: { id: string; days: number },
): Promise<boolean> {
  const { rowCount } = await db.query(sql.type(z.object({}))`
    UPDATE organizations SET finding_decision_days_max = ${days} WHERE id = ${id}`);
  return rowCount > 0;
}
