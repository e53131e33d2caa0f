import type { MediaType } from "../read/operation.ts";

export interface MatchedMedia {
  pairs: { old: MediaType; next: MediaType; how: "same" | "generalized" | "specialized" | "relative" }[];
  removed: MediaType[];
  added: MediaType[];
}

type Content = ReadonlyMap<string, MediaType>;

/** Matches media types: by name, without their parameters, by ranges, and by what they are written in. */
export function matchMedia(old: Content, next: Content): MatchedMedia {
  const result: MatchedMedia = { pairs: [], removed: [], added: [] };
  const taken = new Set<MediaType>();
  const essences = new Map([...next].map(([key, media]) => [essenceOf(key), media]));
  for (const [key, media] of old) {
    const same = next.get(key) ?? essences.get(essenceOf(key));
    const range = same === undefined ? rangeOver(next, key) : undefined;
    if (same !== undefined) result.pairs.push({ old: media, next: same, how: "same" });
    else if (range !== undefined) result.pairs.push({ old: media, next: range, how: "generalized" });
    else if (isRange(key)) addCovered(result, media, { next, taken });
    else result.removed.push(media);
    for (const found of [same, range]) if (found !== undefined) taken.add(found);
  }
  result.added = [...next.values()].filter((media) => !taken.has(media));
  matchRelatives(result);
  return result;
}

/** A range that is gone covers the types that are in its place. */
function addCovered(
  result: MatchedMedia,
  old: MediaType,
  { next, taken }: { next: Content; taken: Set<MediaType> },
): void {
  const covered = [...next].filter(([key]) => covers(old.name.toLowerCase(), key)).map(([, media]) => media);
  if (covered.length === 0) result.removed.push(old);
  for (const media of covered) {
    result.pairs.push({ old, next: media, how: "specialized" });
    taken.add(media);
  }
}

/** `application/json` and `application/problem+json` are written in the same syntax. */
function matchRelatives(result: MatchedMedia): void {
  for (const old of result.removed.slice()) {
    const next = result.added.find((media) => syntaxOf(media.name) === syntaxOf(old.name));
    if (next === undefined || syntaxOf(old.name) === undefined) continue;
    result.pairs.push({ old, next, how: "relative" });
    result.removed.splice(result.removed.indexOf(old), 1);
    result.added.splice(result.added.indexOf(next), 1);
  }
}

export function essenceOf(name: string): string {
  return name.toLowerCase().replace(/;.*$/s, "").trim();
}

function rangeOver(content: Content, key: string): MediaType | undefined {
  return [...content].find(([range]) => covers(range, key))?.[1];
}

function isRange(key: string): boolean {
  return key.includes("*");
}

function covers(range: string, key: string): boolean {
  const [wide, narrow] = [essenceOf(range), essenceOf(key)];
  if (!isRange(wide) || wide === narrow) return false;
  return wide === "*/*" || (wide.endsWith("/*") && narrow.startsWith(wide.slice(0, -1)));
}

function syntaxOf(name: string): string | undefined {
  return /^[^/]+\/(?:.*\+)?(json|xml|yaml|cbor)$/.exec(essenceOf(name))?.[1];
}
