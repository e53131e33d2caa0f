import { listServices } from "@waymark/shared/services/operations.ts";
import { Service, ServicePage } from "@waymark/shared/services/schema.ts";
import { z } from "zod";
import type { ApiConnection } from "./api-client.ts";
import { readPages } from "./read-pages.ts";

const ServiceNames = ServicePage.pick({ nextCursor: true }).extend({
  services: z.array(Service.pick({ id: true, name: true })),
});

/** The id of the service with that name, or null if there is none. */
export async function findServiceId(connection: ApiConnection, name: string): Promise<string | null> {
  const reading = { what: "listing services", read: ServiceNames };
  for await (const { services } of readPages(connection, listServices, reading)) {
    const found = services.find((service) => service.name === name);
    if (found !== undefined) return found.id;
  }
  return null;
}
