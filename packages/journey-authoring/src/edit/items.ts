import type { YAMLSeq } from "yaml";
import { nodeOf } from "@waymark/journeys/document/plain-value.ts";
import { EditRefused } from "./refusal.ts";
import { blockIndent, contentEnd, lineEndAfter, lineStart } from "./syntax.ts";
import type { Source } from "./syntax.ts";

/** Where an item of a sequence stands in the text. In a block it is made of whole lines, its own comments included. */
export interface ItemRange {
  start: number;
  end: number;
}

/** @throws EditRefused for a block sequence that shares its lines with something else. */
export function blockItems(source: Source, seq: YAMLSeq): ItemRange[] {
  const indent = blockIndent(source, seq);
  const dashes = dashOffsets(seq);
  const items: ItemRange[] = [];
  for (const [index, dash] of dashes.entries()) {
    const ownLine = lineStart(source.text, dash);
    if (source.text.slice(ownLine, dash).trim() !== "") {
      throw new EditRefused("This list begins in the middle of a line; put each item on a line of its own.");
    }
    const lowest =
      items.at(-1)?.end ?? lineEndAfter(source.text, lineStart(source.text, seq.range?.[0] ?? 0));
    const start = withCommentsAbove(
      source.text,
      ownLine,
      index === 0 ? firstLowest(source.text, ownLine) : lowest,
    );
    const content = lineEndAfter(source.text, contentEnd(nodeOf(seq.items[index]), dash + 1));
    items.push({ start, end: withDeeperComments(source.text, content, indent) });
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

/** Above the first item comments belong to it up to the line that isn't one (that of the list's key). */
function firstLowest(text: string, from: number): number {
  let at = from;
  while (at > 0) {
    const above = lineStart(text, at - 1);
    if (!isComment(text.slice(above, at))) return at;
    at = above;
  }
  return at;
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

/** Comment lines directly below that are indented deeper than the dashes or keys are the last words of what is above. */
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
