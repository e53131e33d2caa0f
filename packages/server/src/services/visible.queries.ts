import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import type { WantedLabel } from "@waymark/shared/services/labels/schema.ts";
import { aliasesOf } from "../db/service-aliases.ts";
import { hasWantedLabels } from "../db/wanted-labels.ts";

const ServiceNames = z.object({ id: z.string(), name: z.string(), aliases: z.array(z.string()) });
type ServiceNames = z.infer<typeof ServiceNames>;

/** Every service of the organization that has the labels, by id, name and other names. */
export async function listServiceNames(
  db: DatabaseTransactionConnection,
  { organizationId, labels }: { organizationId: string; labels: readonly WantedLabel[] },
): Promise<readonly ServiceNames[]> {
  return db.any(sql.type(ServiceNames)`
    SELECT s.id, s.name, ${aliasesOf(sql.fragment`s`)} AS aliases FROM services s
    WHERE s.organization_id = ${organizationId} AND ${hasWantedLabels(sql.fragment`s.labels`, labels)}`);
}
