import type { Service } from "@waymark/shared/services/schema.ts";
import { matchesText } from "../lib/matches-text.ts";
import { compareText, sortRows } from "../lib/sorting.ts";

/** The services that have the text in their names, sorted. */
export function filterServices(services: readonly Service[], text: string, order: string): Service[] {
  const found = services.filter((service) => matchesText(text, [service.name]));
  return sortRows(found, order, COMPARISONS);
}

const COMPARISONS = {
  name: (a: Service, b: Service) => compareText(a.name, b.name),
  scanned: (a: Service, b: Service) => (a.lastScannedAt ?? "").localeCompare(b.lastScannedAt ?? ""),
  endpoints: (a: Service, b: Service) => (a.endpointCount ?? -1) - (b.endpointCount ?? -1),
  findings: (a: Service, b: Service) => (a.findingCount ?? -1) - (b.findingCount ?? -1),
};
