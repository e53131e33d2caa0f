import type { ServiceJourneyPage } from "@waymark/shared/journey-coverage/schema.ts";
import type { ScanChanges } from "@waymark/shared/scans/schema.ts";
import type { z } from "zod";
import { endpointShape } from "../../lib/endpoint/endpoint-address.ts";
import type { ChangeCard } from "./change-cards.ts";

type ServiceJourney = z.infer<typeof ServiceJourneyPage>["journeys"][number];

/** Returns the shapes of the named operations that changed in more than their documentation. No journey calls a new one. */
export function changedOperations(cards: readonly ChangeCard[]): ReadonlySet<string> {
  return new Set(
    cards
      .filter(({ level, endpoint }) => level !== "documentation" && endpoint?.kind !== "added")
      .flatMap(({ operations }) => operations.map(endpointShape)),
  );
}

/** The journeys that call one of the operations. */
export function journeysOf(
  journeys: readonly ServiceJourney[],
  changed: ReadonlySet<string>,
): ServiceJourney[] {
  return journeys.filter(({ operations }) => operations.some((one) => changed.has(endpointShape(one))));
}

/** True if the cards name all operations that changed: every verdict is listed and loaded, and names each of its operations. */
export function areAllNamed(
  cards: readonly ChangeCard[],
  { comparison, nextCursor }: Pick<ScanChanges, "comparison" | "nextCursor">,
): boolean {
  return (
    nextCursor === undefined &&
    comparison.notListed === 0 &&
    cards.every(({ operations, operationCount }) => operations.length === operationCount)
  );
}
