import type { MediaType } from "../read/operation.ts";
import type { Mode } from "../schemas/pair-result.ts";
import type { Level } from "../verdict.ts";
import { addChange, capped, nameOf, type OperationPair, placeOf, writtenBy } from "./change.ts";
import { compareEncodings } from "./compare-encodings.ts";
import { type MatchedMedia, matchMedia } from "./media-ranges.ts";

export interface ContentPair {
  old: ReadonlyMap<string, MediaType>;
  next: ReadonlyMap<string, MediaType>;
  /** The part of the operation, such as `request body` or `response 200`. */
  part: string;
  mode: Mode;
  cap: Level;
}

/** Compares the media types of a body, and their schemas. */
export function compareContent(pair: OperationPair, content: ContentPair): void {
  const matched = matchMedia(content.old, content.next);
  for (const each of matched.pairs) {
    compareNames(pair, content, each);
    compareMediaSchemas(pair, content, each);
    compareEncodings(pair, content, each.old, each.next);
  }
  for (const media of matched.removed) addMedia(pair, content, media, "removed");
  for (const media of matched.added) addMedia(pair, content, media, "added");
}

/** The side that reads chooses: a client that accepts a type, or that sends one, loses it. */
function addMedia(
  pair: OperationPair,
  content: ContentPair,
  media: MediaType,
  what: "added" | "removed",
): void {
  const isClients = pair.sent === "request";
  const isBody = content.part === "request body";
  // The provider chooses the type of a webhook's payload, and receivers don't know an added type.
  const breaks = isBody && !isClients ? what === "added" : what === "removed";
  const name = media.name;
  addChange(pair, {
    kind: `media-type-${what}`,
    level: capped(breaks ? "breaking" : "safe", content.cap),
    direction: content.mode,
    part: content.part,
    message: breaks
      ? what === "removed"
        ? content.mode === "request"
          ? `The ${content.part} is no longer accepted as ${name}.`
          : `The ${content.part} is no longer available as ${name}: clients that read it have nothing to read.`
        : `The ${content.part} can now arrive as ${name}, which receivers don't know.`
      : `The ${content.part} ${what === "added" ? "is also available as" : "no longer comes as"} ${name}.`,
    before: what === "removed" ? name : undefined,
    after: what === "added" ? name : undefined,
    [what === "removed" ? "base" : "head"]: placeOf(media.at),
  });
}

function compareNames(
  pair: OperationPair,
  content: ContentPair,
  { old, next, how }: MatchedMedia["pairs"][number],
): void {
  if (how === "same") return;
  if (how === "parameters") {
    addChange(pair, {
      kind: "media-type-parameters-changed",
      level: capped("maybe", content.cap),
      direction: content.mode,
      part: content.part,
      message: `The media type of the ${content.part} has other parameters: ${next.name} instead of ${old.name}.`,
      before: old.name,
      after: next.name,
      base: placeOf(old.at),
      head: placeOf(next.at),
    });
    return;
  }
  const narrows = how === "specialized" || how === "relative";
  const widens = how === "generalized" || how === "relative";
  const breaks = content.mode === "request" ? narrows : widens;
  addChange(pair, {
    kind: how === "relative" ? "media-type-changed" : `media-type-${how}`,
    level: capped(breaks ? "breaking" : "safe", content.cap),
    direction: content.mode,
    part: content.part,
    message: breaks
      ? content.mode === "request"
        ? `The ${content.part} is no longer accepted as ${old.name}, only as ${next.name}.`
        : `The ${content.part} comes as ${next.name} instead of ${old.name}: clients that compare the type don't know it.`
      : `The media type of the ${content.part} is ${next.name} instead of ${old.name}.`,
    before: old.name,
    after: next.name,
    base: placeOf(old.at),
    head: placeOf(next.at),
  });
}

function compareMediaSchemas(
  pair: OperationPair,
  content: ContentPair,
  { old, next }: MatchedMedia["pairs"][number],
): void {
  compareMediaSchema(pair, content, { old, next, key: "schema" });
  compareMediaSchema(pair, content, { old, next, key: "itemSchema" });
}

function compareMediaSchema(
  pair: OperationPair,
  content: ContentPair,
  { old, next, key }: { old: MediaType; next: MediaType; key: "schema" | "itemSchema" },
): void {
  const part = `${content.part} ${next.name}${key === "schema" ? "" : " item"}`;
  const [before, after] = [old[key], next[key]];
  const places = { base: placeOf(old.at), head: placeOf(next.at) };
  if (before !== undefined && after === undefined) {
    const isAnswer = content.mode === "response";
    addChange(pair, {
      kind: "schema-removed",
      level: isAnswer ? capped("maybe", content.cap) : "safe",
      direction: content.mode,
      part,
      message: isAnswer
        ? `The ${part} no longer has a schema: clients don't know what arrives.`
        : `The ${part} no longer has a schema: everything is accepted.`,
      ...places,
    });
    return;
  }
  if (after === undefined || (before === undefined && content.mode === "response")) return;
  pair.findings.schemas.push({
    operation: nameOf(pair.next),
    part,
    old: before ?? [],
    next: after,
    mode: content.mode,
    written: writtenBy(old.name, next.name),
    cap: content.cap,
    optional: true,
    ...places,
  });
}
