import { ScanRun } from "@waymark/shared/scans/schema.ts";
import { getCurrentScanRun, listServices } from "@waymark/shared/services/operations.ts";
import { Service, ServicePage } from "@waymark/shared/services/schema.ts";
import { z } from "zod";
import { type ApiConnection, call } from "./api-client.ts";
import { CliError } from "../lib/cli-error.ts";
import { readPages } from "./read-pages.ts";

const ServiceNames = ServicePage.pick({ nextCursor: true }).extend({
  services: z.array(Service.pick({ id: true, name: true })),
});

const FoundServices = z.object({
  services: z.array(Service.pick({ id: true, name: true, currentScanRunId: true })),
});
export type FoundService = z.infer<typeof FoundServices>["services"][number];

/** Returns the service with that name, or null if there is none, or none that the key may read. */
export async function findService(connection: ApiConnection, name: string): Promise<FoundService | null> {
  const reading = { what: "finding the service", read: FoundServices };
  const page = await call(connection, listServices, reading, { query: { name } });
  return page.services.find((service) => service.name === name) ?? null;
}

/** Returns the id of a branch's current run; null if there is none, or the server is too old to tell. */
export async function findRunOfBranch(
  connection: ApiConnection,
  serviceId: string,
  branch: string,
): Promise<string | null> {
  const reading = { what: "finding the branch's current run", read: ScanRun.pick({ id: true }) };
  try {
    const request = { params: { serviceId }, query: { branch } };
    return (await call(connection, getCurrentScanRun, reading, request)).id;
  } catch (error) {
    if (error instanceof CliError && error.code === "not_found") return null;
    throw error;
  }
}

const DefaultBranches = z.object({
  services: z.array(
    Service.pick({ name: true, defaultBranch: true, defaultBranchIsSet: true }).partial({
      defaultBranch: true,
      defaultBranchIsSet: true,
    }),
  ),
});

/** Returns the default branch that is set for the service with that name; undefined if there is none. */
export async function findDefaultBranch(
  connection: ApiConnection,
  name: string,
): Promise<string | undefined> {
  const reading = { what: "reading the default branch", read: DefaultBranches };
  const page = await call(connection, listServices, reading, { query: { name } });
  const service = page.services.find((each) => each.name === name);
  return service?.defaultBranchIsSet === true ? (service.defaultBranch ?? undefined) : undefined;
}

/** The id of the service with that name, or null if there is none. */
export async function findServiceId(connection: ApiConnection, name: string): Promise<string | null> {
  const reading = { what: "listing services", read: ServiceNames };
  for await (const { services } of readPages(connection, listServices, reading)) {
    const found = services.find((service) => service.name === name);
    if (found !== undefined) return found.id;
  }
  return null;
}
