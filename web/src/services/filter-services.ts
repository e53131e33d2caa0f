import type { Service } from "@waymark/shared/services/schema.ts";
import { hasLabels, type WantedLabel } from "@waymark/shared/services/labels/schema.ts";
import { matchesText } from "../lib/matches-text.ts";
import { compareText, sortRows } from "../lib/sorting.ts";
import { compareRisk, concernsOf } from "./service-risk.ts";

/** Descending by risk. */
const WORST_FIRST = "-risk";

interface ServiceFilter {
  text: string;
  /** One of `CONCERNS`; empty for all services. */
  concern: string;
  labels: readonly WantedLabel[];
  /** `me`, `none`, or the slug of a team; empty for all services. */
  owner: string;
  /** The slugs of the session's own teams. */
  mine: ReadonlySet<string>;
}

/** The services that have the text in one of their names, the concern and the labels, sorted; without an order, the worst first. */
export function filterServices(
  services: readonly Service[],
  { text, concern, labels, owner, mine }: ServiceFilter,
  order: string,
  now = Date.now(),
): Service[] {
  const found = services.filter(
    (service) =>
      matchesText(text, [service.name, ...service.aliases]) &&
      hasLabels(service.labels, labels) &&
      hasOwner(service, owner, mine) &&
      (concern === "" || concernsOf(service, now).some((one) => one === concern)),
  );
  const byRisk = { risk: (a: Service, b: Service) => compareRisk(a, b, now) };
  return sortRows(found, order === "" ? WORST_FIRST : order, { ...COMPARISONS, ...byRisk });
}

function hasOwner({ ownerTeam }: Service, owner: string, mine: ReadonlySet<string>): boolean {
  if (owner === "") return true;
  if (ownerTeam === null) return owner === "none";
  return owner === "me" ? mine.has(ownerTeam.slug) : ownerTeam.slug === owner;
}

const COMPARISONS = {
  name: (a: Service, b: Service) => compareText(a.name, b.name),
  scanned: (a: Service, b: Service) => (a.lastScannedAt ?? "").localeCompare(b.lastScannedAt ?? ""),
  endpoints: (a: Service, b: Service) => (a.endpointCount ?? -1) - (b.endpointCount ?? -1),
  findings: (a: Service, b: Service) => (a.findingCount ?? -1) - (b.findingCount ?? -1),
};
