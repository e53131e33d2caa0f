import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { matchesText } from "../../lib/matches-text.ts";

export const KIND_NAMES = ["template", "journey", "variant", "description"] as const;

/** What people call a document: an overlay is a variant of its base. */
export function kindOf({
  kind,
  isTemplate,
}: Pick<JourneyDocument, "kind" | "isTemplate">): (typeof KIND_NAMES)[number] {
  if (kind === "openapi") return "description";
  if (kind === "overlay") return "variant";
  return isTemplate ? "template" : "journey";
}

/** The documents that match, each variant after its base; without a kind, descriptions come last. */
export function filterJourneys(
  journeys: readonly JourneyDocument[],
  { text, kind }: { text: string; kind: string },
): JourneyDocument[] {
  const paths = new Map(journeys.map(({ id, path }) => [id, path]));
  const family = ({ base, path }: JourneyDocument) =>
    base === null ? path : `${paths.get(base.id ?? "") ?? base.path}\n${path}`;
  const order = (journey: JourneyDocument) =>
    `${kindOf(journey) === "description" ? 1 : 0}${family(journey)}`;
  return journeys
    .filter(
      (journey) =>
        (kind === "" || kindOf(journey) === kind) &&
        matchesText(text, [journey.path, journey.title, ...journey.tags]),
    )
    .toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
}
