import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";

/** Such as `Last 20 runs: 18 passed, 2 failed`. */
export function describeStatuses(statuses: JourneyDocument["recentStatuses"]): string {
  const counts = new Map<string, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  const parts = [...counts].toSorted(([, a], [, b]) => b - a).map(([status, count]) => `${count} ${status}`);
  return `Last ${statuses.length} runs: ${parts.join(", ")}`;
}
