import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";

const ServiceName = z.object({ id: z.string(), name: z.string() });
type ServiceName = z.infer<typeof ServiceName>;

/** Every service of the organization by id and name. */
export async function listServiceNames(
  db: DatabaseTransactionConnection,
  { organizationId }: { organizationId: string },
): Promise<readonly ServiceName[]> {
  return db.any(sql.type(ServiceName)`
    SELECT id, name FROM services WHERE organization_id = ${organizationId}`);
}
