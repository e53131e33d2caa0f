import type { NormalizedEndpoint, ScanChanges } from "@waymark/shared/scans/schema.ts";
import { endpointShape } from "../../lib/endpoint/endpoint-address.ts";
import { compareText } from "../../lib/sorting.ts";
import {
  type ChangeCard,
  type ChangeLevel,
  CHANGE_LEVELS,
  countLevels,
  type Operation,
} from "./change-cards.ts";

/** The changes of the operations with one tag. */
export interface TagOfChanges {
  tag: string;
  counts: Record<ChangeLevel, number>;
  cards: readonly ChangeCard[];
}

/** The tag of changes that affect the description as a whole. */
export const WHOLE_DESCRIPTION = "The whole description";

const KIND_TAGS = { webhook: "Webhooks", callback: "Callbacks" } as const;

/** Returns a function that knows the first tag of an operation; without tags, the first part of its path. */
export function tagFinder(
  endpoints: readonly NormalizedEndpoint[],
  changes: ScanChanges["endpoints"],
): (operation: Operation) => string {
  const before = [...changes.removed, ...changes.changed.map((pair) => pair.before)];
  const tags = new Map([...before, ...endpoints].map((one) => [endpointShape(one), one.tags[0] ?? ""]));
  return (operation) => {
    if (operation.kind !== "operation") return KIND_TAGS[operation.kind];
    const tag = tags.get(endpointShape(operation)) ?? "";
    return tag === "" ? firstPart(operation.path) : tag;
  };
}

/** Groups cards by tag, those with the most severe changes first. A card is in each tag that one of its operations has. */
export function changesByTag(
  cards: readonly ChangeCard[],
  tagOf: (operation: Operation) => string,
): TagOfChanges[] {
  const groups = new Map<string, ChangeCard[]>();
  for (const card of cards) {
    const tags = card.operations.length === 0 ? [WHOLE_DESCRIPTION] : card.operations.map(tagOf);
    for (const tag of new Set(tags)) groups.set(tag, [...(groups.get(tag) ?? []), card]);
  }
  return [...groups]
    .map(([tag, ofTag]) => ({ tag, counts: countLevels(ofTag), cards: ofTag }))
    .toSorted((a, b) => compareSeverity(a, b) || compareText(a.tag, b.tag));
}

/** Tags with more breaking changes are first, then those with more that may break, and so on. */
function compareSeverity(a: TagOfChanges, b: TagOfChanges): number {
  const level = CHANGE_LEVELS.find((one) => a.counts[one] !== b.counts[one]);
  return level === undefined ? 0 : b.counts[level] - a.counts[level];
}

/** `/books` of `/books/{isbn}`. A version in front of it says nothing: `/v1/books` of `/v1/books/{isbn}`. */
function firstPart(path: string): string {
  return /^(?:\/v\d+(?=\/))?\/[^/]*/.exec(path)?.[0] ?? path;
}
