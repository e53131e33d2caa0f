import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { aliasesOf } from "../db/service-aliases.ts";
import { isWanted, type WantedServices } from "../db/wanted-services.ts";

const ServiceNames = z.object({ id: z.string(), name: z.string(), aliases: z.array(z.string()) });
type ServiceNames = z.infer<typeof ServiceNames>;

/** Lists every service of the organization that is wanted, by id, name and other names. */
export async function listServiceNames(
  db: DatabaseTransactionConnection,
  { organizationId, wanted }: { organizationId: string; wanted: WantedServices },
): Promise<readonly ServiceNames[]> {
  return db.any(sql.type(ServiceNames)`
    SELECT s.id, s.name, ${aliasesOf(sql.fragment`s`)} AS aliases FROM services s
    WHERE s.organization_id = ${organizationId} AND ${isWanted(sql.fragment`s`, wanted)}`);
}
