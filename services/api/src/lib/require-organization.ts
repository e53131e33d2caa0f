import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { organizationExists } from "@waymark/server/organizations/queries.ts";
import { z } from "zod";

/** Checks the organization that the operator names. @throws Error if there is none */
export async function requireOrganization(db: DatabasePool, organizationId: string): Promise<void> {
  if (z.guid().safeParse(organizationId).success && (await organizationExists(db, organizationId))) return;
  throw new Error("there is no organization with this id (--organization)");
}
