import type { JourneyDocumentDetail } from "@waymark/shared/journeys/schema.ts";
import type { LinkedJourney } from "../visual/sub-journeys-context.ts";

/** The stored journeys that a document names as sources. */
export function linkedJourneys(links: JourneyDocumentDetail["links"]): LinkedJourney[] {
  return links.flatMap(({ role, name, path, documentId }) =>
    role === "journey" && documentId !== null ? [{ name, path: path ?? name, documentId }] : [],
  );
}
