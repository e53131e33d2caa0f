import type { ServiceJourneyPage } from "@waymark/shared/journey-coverage/schema.ts";
import type { z } from "zod";
import { endpointShape } from "../../lib/endpoint/endpoint-address.ts";
import type { ChangeCard } from "./change-cards.ts";

type ServiceJourney = z.infer<typeof ServiceJourneyPage>["journeys"][number];

/** The journeys that call an operation which changed, in more than its documentation. New operations are called by none. */
export function journeysOf(
  journeys: readonly ServiceJourney[],
  cards: readonly ChangeCard[],
): ServiceJourney[] {
  const changed = new Set(
    cards
      .filter(({ level, endpoint }) => level !== "documentation" && endpoint?.kind !== "added")
      .flatMap(({ operations }) => operations.map(endpointShape)),
  );
  return journeys.filter(({ operations }) => operations.some((one) => changed.has(endpointShape(one))));
}
