import type { Service, TrendPoint } from "@waymark/shared/services/schema.ts";
import { countOf } from "../lib/count-of.ts";
import { openBySeverity } from "../lib/open-findings.ts";
import { LOCALE } from "../lib/locale.ts";

const DAY_MS = 24 * 3600 * 1000;
/** The time that a service needs attention after it lost endpoints. */
const FEWER_DAYS = 7;

/** The reasons why a service needs attention, the worst first. */
export const CONCERNS = {
  failed: "last scan failed",
  held: "last scan not promoted",
  critical: "critical findings",
  overdue: "overdue findings",
  fewer: `fewer endpoints in ${FEWER_DAYS} days`,
} as const;
export type Concern = keyof typeof CONCERNS;

const ORDER: readonly Concern[] = ["failed", "held", "critical", "overdue", "fewer"];

export interface LastChange {
  at: string;
  endpoints: number;
  findings: number;
}

/** Returns the last change of a service's counts among the runs of its trend; null if there was none. */
export function lastChangeOf(trend: readonly TrendPoint[]): LastChange | null {
  for (let index = trend.length - 1; index > 0; index--) {
    const [before, after] = [trend[index - 1], trend[index]];
    if (before === undefined || after === undefined) continue;
    const endpoints = after.endpointCount - before.endpointCount;
    const findings = after.findingCount - before.findingCount;
    if (endpoints !== 0 || findings !== 0) return { at: after.scannedAt, endpoints, findings };
  }
  return null;
}

/** Such as `−3 endpoints, +1 finding`. */
export function describeChange({ endpoints, findings }: LastChange): string {
  return [describeDelta(endpoints, "endpoints"), describeDelta(findings, "findings")]
    .filter(Boolean)
    .join(", ");
}

function describeDelta(delta: number, plural: string): string {
  return delta === 0 ? "" : `${delta < 0 ? "−" : "+"}${countOf(Math.abs(delta), plural)}`;
}

/** Everything for which a service needs attention now, the worst first. */
export function concernsOf(service: Service, now: number): Concern[] {
  const change = lastChangeOf(service.trend ?? []);
  const isOf: Record<Concern, boolean> = {
    failed: service.lastFailedScan !== null,
    held: service.lastHeldScan !== null,
    critical: severeCount(service, "critical") > 0,
    overdue: (service.overdueFindingCount ?? 0) > 0,
    fewer: change !== null && change.endpoints < 0 && now - Date.parse(change.at) < FEWER_DAYS * DAY_MS,
  };
  return ORDER.filter((concern) => isOf[concern]);
}

/** Compares services by their worst concern, then by the number of severe findings. The worse service is greater. */
export function compareRisk(a: Service, b: Service, now: number): number {
  const rank = (service: Service) => {
    const [worst] = concernsOf(service, now);
    return worst === undefined ? 0 : ORDER.length - ORDER.indexOf(worst);
  };
  return (
    rank(a) - rank(b) ||
    severeCount(a, "critical") - severeCount(b, "critical") ||
    severeCount(a, "high") - severeCount(b, "high")
  );
}

/** Counts open findings. */
function severeCount(
  { findingsBySeverity, decidedBySeverity }: Service,
  severity: "critical" | "high",
): number {
  if (findingsBySeverity === null) return 0;
  return openBySeverity({ findingsBySeverity, decidedBySeverity })[severity];
}

/** The concerns that services have, with the number of services, for a filter. */
export function countConcerns(
  services: readonly Service[],
  now: number,
): { value: Concern; label: string; count: number }[] {
  const all = services.flatMap((service) => concernsOf(service, now));
  return ORDER.flatMap((value) => {
    const count = all.filter((concern) => concern === value).length;
    return count === 0
      ? []
      : [{ value, label: `${CONCERNS[value]} (${count.toLocaleString(LOCALE)})`, count }];
  });
}
