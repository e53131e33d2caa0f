import { type Actor, denial } from "@waymark/shared/api-keys/authorize.ts";
import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { mayReadJourney } from "../lib/visible-journeys.ts";

/**
 * A document without what other documents say. A base that the actor may not read looks like one that does not exist, so that a
 * reference to it tells nothing.
 */
export function asSeenBy<Document extends Pick<JourneyDocument, "base" | "drift">>(
  actor: Actor,
  document: Document,
): Document {
  const { base } = document;
  if (base === null || base.id === null || mayReadJourney(actor, base.id)) return document;
  return { ...document, base: { ...base, id: null }, drift: null };
}

/** Whether the actor may read a service. */
export function mayReadService(
  actor: Actor,
  { serviceId, serviceName }: { serviceId: string; serviceName: string },
): boolean {
  return denial(actor, ["services:read"], { serviceId, serviceName }) === undefined;
}
