import { findLookAlikes } from "@waymark/shared/lib/look-alike.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { useServices } from "./use-services.ts";

/** Returns the names of other services that look like a new name of a service. */
export function useLookAlikes(service: Service, name: string): string[] {
  const { data = [] } = useServices();
  if (name === service.name) return [];
  const others = data.filter(({ id }) => id !== service.id);
  return findLookAlikes(
    name,
    others.flatMap((other) => [other.name, ...other.aliases]),
  );
}
