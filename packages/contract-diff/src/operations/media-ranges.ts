import type { MediaType } from "../read/operation.ts";

export interface MatchedMedia {
  pairs: {
    old: MediaType;
    next: MediaType;
    how: "same" | "parameters" | "generalized" | "specialized" | "relative";
  }[];
  removed: MediaType[];
  added: MediaType[];
}

type Content = ReadonlyMap<string, MediaType>;

/** Matches media types: by name, without their parameters, by ranges, and by what they are written in. */
export function matchMedia(old: Content, next: Content): MatchedMedia {
  const result: MatchedMedia = { pairs: [], removed: [], added: [] };
  const taken = new Set<MediaType>();
  const named = matchNames(old, next);
  for (const [key, media] of old) {
    const same = named.get(media);
    const range = same === undefined ? rangeOver(next, key) : undefined;
    if (same !== undefined) {
      const how = parametersOf(media.name) === parametersOf(same.name) ? "same" : "parameters";
      result.pairs.push({ old: media, next: same, how });
    } else if (range !== undefined) result.pairs.push({ old: media, next: range, how: "generalized" });
    else if (isRange(key)) addCovered(result, media, { next, taken });
    else result.removed.push(media);
    for (const found of [same, range]) if (found !== undefined) taken.add(found);
  }
  for (const [key, media] of next) {
    if (taken.has(media)) continue;
    const range = rangeOver(old, key);
    // A type that a range covers existed before, with the schema of the range.
    if (range !== undefined) result.pairs.push({ old: range, next: media, how: "same" });
    else result.added.push(media);
  }
  matchRelatives(result);
  return result;
}

/** Pairs equal names first, then those that differ in their parameters only, where there is one on each side. */
function matchNames(old: Content, next: Content): Map<MediaType, MediaType> {
  const pairs = new Map<MediaType, MediaType>();
  for (const [key, media] of old) {
    const same = next.get(key);
    if (same !== undefined) pairs.set(media, same);
  }
  const taken = new Set(pairs.values());
  const left = (content: Content, isLeft: (media: MediaType) => boolean) =>
    Map.groupBy(
      [...content.values()].filter((media) => isLeft(media)),
      ({ name }) => essenceOf(name),
    );
  const news = left(next, (media) => !taken.has(media));
  for (const [essence, olds] of left(old, (media) => !pairs.has(media))) {
    const [before, after] = [olds[0], news.get(essence)?.[0]];
    if (olds.length === 1 && news.get(essence)?.length === 1 && before !== undefined && after !== undefined)
      pairs.set(before, after);
  }
  return pairs;
}

/** Returns the parameters of a type that are not how it is written, such as a version. */
function parametersOf(name: string): string {
  const parameters = name
    .toLowerCase()
    .split(";")
    .slice(1)
    .map((parameter) => parameter.trim().replaceAll('"', ""));
  return parameters
    .filter((parameter) => !/^(?:$|(?:charset|q|boundary)\s*=)/.test(parameter))
    .toSorted()
    .join(";");
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
