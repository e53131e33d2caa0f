import { ScanRun } from "@waymark/shared/scans/schema.ts";
import { getCurrentScanRun, listServices } from "@waymark/shared/services/operations.ts";
import { Service, ServicePage } from "@waymark/shared/services/schema.ts";
import { z } from "zod";
import { type ApiConnection, call } from "./api-client.ts";
import { CliError } from "../lib/cli-error.ts";
import { readPages } from "./read-pages.ts";

/** Servers of older versions have no aliases. */
const Named = Service.pick({ name: true, aliases: true }).partial({ aliases: true });

const ServiceNames = ServicePage.pick({ nextCursor: true }).extend({ services: z.array(Named) });

const FoundServices = z.object({
  services: z.array(Named.extend(Service.pick({ id: true, currentScanRunId: true }).shape)),
});
export type FoundService = z.infer<typeof FoundServices>["services"][number];

/** Returns the service with that name, or null if there is none, or none that the key may read. A renamed service still has its old name. */
export async function findService(connection: ApiConnection, name: string): Promise<FoundService | null> {
  const reading = { what: "finding the service", read: FoundServices };
  const page = await call(connection, listServices, reading, { query: { name } });
  return serviceWith(name, page.services) ?? null;
}

function serviceWith<S extends z.infer<typeof Named>>(name: string, services: readonly S[]): S | undefined {
  return (
    services.find((service) => service.name === name) ??
    services.find(({ aliases }) => aliases?.includes(name) === true)
  );
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
    Named.extend(
      Service.pick({ defaultBranch: true, defaultBranchIsSet: true }).partial({
        defaultBranch: true,
        defaultBranchIsSet: true,
      }).shape,
    ),
  ),
});

/** Returns the default branch that is set for the service with that name; undefined if there is none. */
export async function findDefaultBranch(
  connection: ApiConnection,
  name: string,
): Promise<string | undefined> {
  const reading = { what: "reading the default branch", read: DefaultBranches };
  const page = await call(connection, listServices, reading, { query: { name } });
  const service = serviceWith(name, page.services);
  return service?.defaultBranchIsSet === true ? (service.defaultBranch ?? undefined) : undefined;
}

const FoundIds = z.object({ services: z.array(Named.extend(Service.pick({ id: true }).shape)) });

/** The id of the service with that name, or null if there is none. */
export async function findServiceId(connection: ApiConnection, name: string): Promise<string | null> {
  const reading = { what: "finding the service", read: FoundIds };
  const page = await call(connection, listServices, reading, { query: { name } });
  return serviceWith(name, page.services)?.id ?? null;
}

/** Returns the names and aliases of all services that the key may read and that are not archived. */
export async function listServiceNames(connection: ApiConnection): Promise<string[]> {
  const reading = { what: "listing services", read: ServiceNames };
  const names: string[] = [];
  for await (const { services } of readPages(connection, listServices, reading))
    names.push(...services.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  return names;
}
