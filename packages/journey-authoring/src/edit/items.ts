import type { Pair, YAMLMap, YAMLSeq } from "yaml";
import { nodeOf } from "@waymark/journeys/document/plain-value.ts";
import { EditRefused } from "./refusal.ts";
import { blockIndent, contentEnd, lineEndAfter, lineStart, pairEnd } from "./syntax.ts";
import type { Source } from "./syntax.ts";

/** The range of a sequence's item in the text. In a block, it consists of whole lines, including its own comments. */
export interface ItemRange {
  start: number;
  end: number;
}

/** @throws EditRefused for a block sequence that shares its lines with something else. */
export function blockItems(source: Source, seq: YAMLSeq): ItemRange[] {
  const parts = dashOffsets(seq).map((start, index) => ({
    start,
    end: contentEnd(nodeOf(seq.items[index]), start + 1),
  }));
  return wholeLines(source, parts, { indent: blockIndent(source, seq), floor: 0 });
}

/** Members of a block map, like `blockItems`. If the first one follows a dash, it begins at its key. */
export function blockMembers(source: Source, map: YAMLMap): ItemRange[] {
  const parts = map.items.map((pair) => {
    const key = nodeOf(pair.key);
    if (!key?.range || isExplicit(pair))
      throw new EditRefused("This object has a key that isn't plain text.");
    return { start: key.range[0], end: pairEnd(pair, key.range[1]) };
  });
  const [first, ...rest] = parts;
  if (first === undefined) return [];
  const { text } = source;
  const indent = blockIndent(source, map);
  const end = withDeeperComments(text, lineEndAfter(text, first.end), indent);
  const isInline = text.slice(lineStart(text, first.start), first.start).trim() !== "";
  if (isInline) return [{ start: first.start, end }, ...wholeLines(source, rest, { indent, floor: end })];
  // Comments above the very first key belong to the document.
  const floor = map === source.ast.contents ? lineStart(text, first.start) : 0;
  return wholeLines(source, parts, { indent, floor });
}

function isExplicit({ srcToken }: Pair): boolean {
  return srcToken?.start.some(({ type }) => type === "explicit-key-ind") === true;
}

/** Ranges of whole lines, each with the comments directly above it (not above `floor`) and those below that are indented deeper. */
function wholeLines(
  { text }: Source,
  parts: readonly ItemRange[],
  { indent, floor }: { indent: number; floor: number },
): ItemRange[] {
  const items: ItemRange[] = [];
  for (const part of parts) {
    const ownLine = lineStart(text, part.start);
    if (text.slice(ownLine, part.start).trim() !== "") {
      throw new EditRefused("This list begins in the middle of a line; put each item on a line of its own.");
    }
    const start = withCommentsAbove(text, ownLine, items.at(-1)?.end ?? floor);
    items.push({ start, end: withDeeperComments(text, lineEndAfter(text, part.end), indent) });
  }
  return items;
}

function dashOffsets(seq: YAMLSeq): number[] {
  const token = seq.srcToken;
  if (token?.type !== "block-seq") throw new EditRefused("This list isn't written as a block.");
  return token.items.flatMap((item) => {
    const dash = item.start.find((part) => part.type === "seq-item-ind");
    return dash === undefined ? [] : [dash.offset];
  });
}

function withCommentsAbove(text: string, from: number, lowest: number): number {
  let at = from;
  while (at > lowest) {
    const above = lineStart(text, at - 1);
    if (above < lowest || !isComment(text.slice(above, at))) return at;
    at = above;
  }
  return at;
}

/** Comment lines directly below that are indented deeper than the dashes or keys belong to the item above. */
export function withDeeperComments(text: string, from: number, indent: number): number {
  let at = from;
  while (at < text.length) {
    const end = lineEndAfter(text, at + 1);
    const line = text.slice(at, end);
    if (!isComment(line) || line.search(/\S/) <= indent) return at;
    at = end;
  }
  return at;
}

function isComment(line: string): boolean {
  return line.trimStart().startsWith("#");
}

export function isBlank(text: string): boolean {
  return text.trim() === "";
}

export function flowItems(seq: YAMLSeq): ItemRange[] {
  return seq.items.map((item) => {
    const range = nodeOf(item)?.range;
    if (!range) throw new EditRefused("This list has an item without text.");
    return { start: range[0], end: range[1] };
  });
}

/** Members of a flow map, each from its key to its value's end. */
export function flowMembers(map: YAMLMap): ItemRange[] {
  return map.items.map((pair) => {
    const range = nodeOf(pair.key)?.range;
    if (!range) throw new EditRefused("This object has a key without text.");
    return { start: range[0], end: pairEnd(pair, range[1]) };
  });
}
