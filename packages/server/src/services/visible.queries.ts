import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { aliasesOf } from "../db/service-aliases.ts";
import { isAmong } from "../db/is-among.ts";
import { isWanted, type WantedServices } from "../db/wanted-services.ts";

const ServiceNames = z.object({ id: z.string(), name: z.string(), aliases: z.array(z.string()) });
/** Names that decide whether a key that is limited to services may access one. */
export type ServiceNames = z.infer<typeof ServiceNames>;

const NAMES = sql.fragment`s.id, s.name, ${aliasesOf(sql.fragment`s`)} AS aliases`;
const SELECT_NAMES = sql.fragment`SELECT ${NAMES} FROM services s`;

/** Lists every service of the organization that is wanted, by id, name and other names. */
export async function listServiceNames(
  db: DatabaseTransactionConnection,
  { organizationId, wanted }: { organizationId: string; wanted: WantedServices },
): Promise<readonly ServiceNames[]> {
  return db.any(sql.type(ServiceNames)`
    ${SELECT_NAMES}
    WHERE s.organization_id = ${organizationId} AND ${isWanted(sql.fragment`s`, wanted)}`);
}

/** Finds a service by its id. It costs less than `findService`, which counts findings and reads runs. */
export async function findServiceNames(
  db: DatabaseTransactionConnection,
  { organizationId, serviceId }: { organizationId: string; serviceId: string },
): Promise<ServiceNames | null> {
  return db.maybeOne(sql.type(ServiceNames)`
    ${SELECT_NAMES}
    WHERE s.organization_id = ${organizationId} AND s.id = ${serviceId}`);
}

const NamesAndRun = ServiceNames.extend({ currentScanRunId: z.string().nullable() });

/** Finds a service by its id, with its current run. As `findServiceNames`, it counts no findings. */
export async function findServiceAndRun(
  db: DatabaseTransactionConnection,
  { organizationId, serviceId }: { organizationId: string; serviceId: string },
): Promise<z.infer<typeof NamesAndRun> | null> {
  return db.maybeOne(sql.type(NamesAndRun)`
    SELECT ${NAMES}, s.current_run_id AS "currentScanRunId"
    FROM services s
    WHERE s.organization_id = ${organizationId} AND s.id = ${serviceId}`);
}

/** Finds services by their ids. */
export function findNamesOfServices(
  db: DatabaseTransactionConnection,
  { organizationId, serviceIds }: { organizationId: string; serviceIds: readonly string[] },
): Promise<readonly ServiceNames[]> {
  return db.any(sql.type(ServiceNames)`
    ${SELECT_NAMES}
    WHERE s.organization_id = ${organizationId} AND s.id = ANY (${sql.array(serviceIds, "uuid")})`);
}

/** Finds the service that has a name or another name, archived or not, by its id. Empty if there is none of them. */
export function findIdsByName(
  db: DatabaseTransactionConnection,
  {
    organizationId,
    serviceIds,
    name,
  }: { organizationId: string; serviceIds: readonly string[] | null; name: string },
): Promise<readonly string[]> {
  return db.anyFirst(sql.type(z.object({ id: z.string() }))`
    SELECT n.id FROM (
      SELECT s.id FROM services s WHERE s.organization_id = ${organizationId} AND s.name = ${name}
      UNION ALL
      SELECT a.service_id FROM service_aliases a WHERE a.organization_id = ${organizationId} AND a.name = ${name}
    ) n
    WHERE ${isAmong(sql.fragment`n.id`, serviceIds)}`);
}
