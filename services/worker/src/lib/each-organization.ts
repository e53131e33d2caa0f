import type { PgPool } from "@waymark/server/db/pool.ts";
import { nextOrganizationId } from "@waymark/server/scans/retention/queries.ts";

const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/** Yields the ids of all organizations, one query each, so that none is missed that is created meanwhile. */
export async function* eachOrganization(pool: PgPool): AsyncGenerator<string, void, undefined> {
  let organizationId = await nextOrganizationId(pool, NIL_UUID);
  while (organizationId !== null) {
    yield organizationId;
    organizationId = await nextOrganizationId(pool, organizationId);
  }
}
