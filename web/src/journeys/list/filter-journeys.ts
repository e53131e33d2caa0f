import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { matchesText } from "../../lib/matches-text.ts";

export const KIND_NAMES = ["template", "journey", "variant", "description"] as const;

/** Returns the name that the console has for a kind of document: an overlay is a variant of its base. */
export function kindOf({
  kind,
  isTemplate,
}: Pick<JourneyDocument, "kind" | "isTemplate">): (typeof KIND_NAMES)[number] {
  if (kind === "openapi") return "description";
  if (kind === "overlay") return "variant";
  return isTemplate ? "template" : "journey";
}

export interface ListedJourney {
  journey: JourneyDocument;
  /** The number of listed documents that it is built on. */
  depth: number;
}

/** The documents that match, as a tree: the variants of a document follow it. Descriptions come last. */
export function filterJourneys(
  journeys: readonly JourneyDocument[],
  { text, kind }: { text: string; kind: string },
): ListedJourney[] {
  const matches = (journey: JourneyDocument) =>
    (kind === "" || kindOf(journey) === kind) &&
    matchesText(text, [journey.path, journey.title, ...journey.tags]);
  const variants = Map.groupBy(journeys, ({ base }) => base?.id ?? null);
  const ids = new Set(journeys.map(({ id }) => id));
  const listed = new Map<string, ListedJourney>();
  const seen = new Set<string>();
  const list = (journey: JourneyDocument, depth: number) => {
    // Variants can extend one another while they are written.
    if (seen.has(journey.id)) return;
    seen.add(journey.id);
    const isListed = matches(journey);
    if (isListed) listed.set(journey.id, { journey, depth });
    for (const variant of sorted(variants.get(journey.id) ?? [])) list(variant, isListed ? depth + 1 : depth);
  };
  const isRoot = ({ base }: JourneyDocument) => base === null || base.id === null || !ids.has(base.id);
  for (const journey of sorted(journeys.filter(isRoot))) list(journey, 0);
  for (const journey of sorted(journeys)) list(journey, 0);
  return [...listed.values()];
}

/** Sorts documents by path, variants by the path of their base. */
function sorted(journeys: readonly JourneyDocument[]): JourneyDocument[] {
  const order = (journey: JourneyDocument) => {
    const { path, base } = journey;
    return `${kindOf(journey) === "description" ? 1 : 0}${base === null ? path : `${base.path}\n${path}`}`;
  };
  return journeys.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
}
