import type { YAMLMap, YAMLSeq } from "yaml";
import { isMap, isScalar, isSeq } from "yaml";
import type { JsonValue } from "@waymark/openapi/json.ts";
import { nodeOf } from "@waymark/journeys/document/plain-value.ts";
import { blockItems, blockMembers, isBlank } from "./items.ts";
import type { ItemRange } from "./items.ts";
import type { TextPatch } from "./patch.ts";
import { renderBlockItem } from "./render.ts";
import { blockIndent, lineStart } from "./syntax.ts";
import type { Source } from "./syntax.ts";

/** The lines between an item and the next: blank lines, and comments that belong to neither. */
function between(source: Source, items: readonly ItemRange[], index: number): string {
  const here = items[index];
  const next = items[index + 1];
  return here === undefined || next === undefined ? "" : source.text.slice(here.end, next.start);
}

/** Whole lines to insert at the start of a line, or at the end of a file without a final line break. */
function linesAt(source: Source, offset: number, lines: string): TextPatch {
  const unfinished = offset > 0 && source.text[offset - 1] !== "\n";
  const text = unfinished ? source.newline + lines.replace(/\r?\n$/, "") : lines;
  return { start: offset, end: offset, text };
}

function removal(source: Source, start: number, end: number): TextPatch {
  const { text } = source;
  if (end < text.length || text.endsWith("\n") || start === 0) return { start, end, text: "" };
  // The file had no final line break and must not get one.
  return { start: start - (text[start - 2] === "\r" ? 2 : 1), end, text: "" };
}

export function insertBlockItem(source: Source, seq: YAMLSeq, at: number, value: JsonValue): TextPatch[] {
  const items = blockItems(source, seq);
  const lines = renderBlockItem(value, blockIndent(source, seq), source.newline, indentsLists(source, seq));
  const gap = between(
    source,
    items,
    at > 0 && at < items.length ? at - 1 : Math.max(0, Math.min(at, items.length - 1) - 1),
  );
  const spacer = gap !== "" && isBlank(gap) ? source.newline : "";
  const next = items[at];
  if (next !== undefined) return [linesAt(source, next.start, lines + spacer)];
  const end = items.at(-1)?.end ?? source.text.length;
  const unfinished = end > 0 && source.text[end - 1] !== "\n";
  return [linesAt(source, end, (unfinished && spacer !== "" ? source.newline : spacer) + lines)];
}

/** Removes an item with its comments, and the blank lines that separate it. */
export function removeBlockItem(source: Source, seq: YAMLSeq, at: number): TextPatch[] {
  const { start, end } = taken(source, blockItems(source, seq), at);
  return [removal(source, start, end)];
}

/** Removes a member with its comments. After a dash, the next member takes its place. */
export function removeBlockMember(source: Source, map: YAMLMap, at: number): TextPatch[] {
  const members = blockMembers(source, map);
  const [first, second] = members;
  const { text } = source;
  if (at > 0 || first === undefined || second === undefined || first.start === lineStart(text, first.start)) {
    const { start, end } = taken(source, members, at);
    return [removal(source, start, end)];
  }
  const next = nodeOf(map.items[1]?.key)?.range?.[0] ?? second.start;
  if (isBlank(text.slice(first.end, next))) return [{ start: first.start, end: next, text: "" }];
  // A comment between them stays on its line, below the dash.
  const dash = text.slice(0, first.start).trimEnd().length;
  return [{ start: dash, end: first.end - (text[first.end - 2] === "\r" ? 2 : 1), text: "" }];
}

function taken(source: Source, items: readonly ItemRange[], at: number): ItemRange {
  const item = items[at] ?? { start: 0, end: 0 };
  const after = between(source, items, at);
  if (at < items.length - 1)
    return { start: item.start, end: item.end + (isBlank(after) ? after.length : 0) };
  const before = between(source, items, at - 1);
  return { start: item.start - (isBlank(before) ? before.length : 0), end: item.end };
}

/** Moves an item before the item that is now at `to`; the length of the list means the end. */
export function moveBlockItem(source: Source, seq: YAMLSeq, from: number, to: number): TextPatch[] {
  if (to === from || to === from + 1) return [];
  const items = blockItems(source, seq);
  const item = items[from];
  if (item === undefined) return [];
  const { start, end } = taken(source, items, from);
  const spacer = source.text.slice(start, item.start) + source.text.slice(item.end, end);
  const own = source.text.slice(item.start, item.end);
  const lines = own.endsWith("\n") ? own : own + source.newline;
  const target = items[to];
  const place =
    target === undefined
      ? linesAt(source, items.at(-1)?.end ?? 0, spacer + lines)
      : linesAt(source, target.start, lines + spacer);
  return [removal(source, start, end), place];
}

/** Whether lists inside the items (or of an object) are indented below their key, as the first one found shows. */
export function indentsLists(source: Source, parent: YAMLSeq | YAMLMap): boolean {
  for (const item of isMap(parent) ? [parent] : parent.items) {
    if (!isMap(item) || item.flow === true) continue;
    for (const { key, value } of item.items) {
      if (!isSeq(value) || value.flow === true || !isScalar(key)) continue;
      return blockIndent(source, value) > blockIndent(source, item);
    }
  }
  return true;
}
