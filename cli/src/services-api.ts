import { z } from "zod";
import type { ApiConnection } from "./api-client.ts";
import { readPages } from "./read-pages.ts";

const ServiceNames = z.object({
  services: z.array(z.object({ id: z.string(), name: z.string() })),
  nextCursor: z.string().optional(),
});

/** The id of the service with that name, or null if there is none. */
export async function findServiceId(connection: ApiConnection, name: string): Promise<string | null> {
  const request = { what: "listing services", path: "/api/services", schema: ServiceNames };
  for await (const { services } of readPages(connection, request)) {
    const found = services.find((service) => service.name === name);
    if (found !== undefined) return found.id;
  }
  return null;
}
