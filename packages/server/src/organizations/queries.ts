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
