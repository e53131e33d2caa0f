import { type Actor, denial } from "@waymark/shared/api-keys/authorize.ts";
import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { mayReadJourney } from "../lib/visible-journeys.ts";

type Shown = Pick<
  JourneyDocument,
  "id" | "base" | "drift" | "lastRun" | "lastRuns" | "recentStatuses" | "criteria"
>;
const NO_RUNS = { lastRun: null, lastRuns: [], recentStatuses: [], criteria: null };

/**
 * A document without what other documents and its runs say. A base that the actor may not read looks like one that does not exist,
 * so that a reference to it tells nothing. A key that may only write the document sees no runs.
 */
export function asSeenBy<Document extends Shown>(actor: Actor, document: Document): Document {
  const shown = mayReadJourney(actor, document.id) ? document : { ...document, ...NO_RUNS };
  const { base } = shown;
  if (base === null || base.id === null || mayReadJourney(actor, base.id)) return shown;
  return { ...shown, base: { ...base, id: null }, drift: null };
}

/** Whether the actor may read a service. */
export function mayReadService(
  actor: Actor,
  {
    serviceId,
    serviceName,
    serviceAliases,
  }: { serviceId: string; serviceName: string; serviceAliases: readonly string[] },
): boolean {
  return denial(actor, ["services:read"], { serviceId, serviceName, serviceAliases }) === undefined;
}
