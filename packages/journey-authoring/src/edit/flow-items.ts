import { isMap } from "yaml";
import type { YAMLMap, YAMLSeq } from "yaml";
import type { JsonValue } from "@waymark/openapi/json.ts";
import { flowItems, flowMembers } from "./items.ts";
import type { ItemRange } from "./items.ts";
import type { TextPatch } from "./patch.ts";
import { renderFlow } from "./render.ts";
import { lineStart } from "./syntax.ts";
import type { Source } from "./syntax.ts";

/** The comma before an item, with the surrounding white space; undefined if there is anything else. */
function gapBefore(source: Source, items: readonly ItemRange[], index: number): string | undefined {
  const before = items[index - 1];
  const here = items[index];
  if (before === undefined || here === undefined) return undefined;
  const gap = source.text.slice(before.end, here.start);
  return /^\s*,\s*$/.test(gap) ? gap : undefined;
}

export function leadingSpace(text: string, offset: number): string {
  const line = text.slice(lineStart(text, offset), offset);
  return /^\s*/.exec(line)?.[0] ?? "";
}

export function insertFlowItem(source: Source, seq: YAMLSeq, at: number, value: JsonValue): TextPatch[] {
  const items = flowItems(seq);
  const first = items[0];
  const opening = (seq.range?.[0] ?? 0) + 1;
  const many = first !== undefined && source.text.slice(first.start, first.end).includes("\n");
  const indent = first === undefined ? "" : leadingSpace(source.text, first.start);
  const unit = many ? indentUnit(source.text) : "";
  const item = renderFlow(value, { json: source.json, unit, indent, newline: source.newline });
  if (first === undefined) return [{ start: opening, end: opening, text: item }];
  const ownLine = source.text.slice(lineStart(source.text, first.start), first.start).trim() === "";
  const plainGap = ownLine ? `,${source.newline}${indent}` : ", ";
  const next = items[at];
  if (next !== undefined) {
    const gap = gapBefore(source, items, at > 0 ? at : 1) ?? plainGap;
    return [{ start: next.start, end: next.start, text: item + gap }];
  }
  const end = items.at(-1)?.end ?? opening;
  return [{ start: end, end, text: (gapBefore(source, items, items.length - 1) ?? plainGap) + item }];
}

export function indentUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}

/** Removes an item of a list or a member of an object with its comma. */
export function removeFlowItem(source: Source, holder: YAMLSeq | YAMLMap, at: number): TextPatch[] {
  const items = isMap(holder) ? flowMembers(holder) : flowItems(holder);
  const item = items[at];
  if (item === undefined) return [];
  const next = items[at + 1];
  const previous = items[at - 1];
  if (next === undefined && previous === undefined) return [emptied(source, holder, item)];
  if (next === undefined) return [{ start: previous?.end ?? item.start, end: item.end, text: "" }];
  if (gapBefore(source, items, at + 1) !== undefined)
    return [{ start: item.start, end: next.start, text: "" }];
  // With a comment between them, only the item and its comma are removed.
  const comma = source.text.indexOf(",", item.end);
  return [{ start: item.start, end: comma + 1, text: "" }];
}

/** Without its last item a list is `[]`, unless it contains a comment. */
function emptied({ text }: Source, holder: YAMLSeq | YAMLMap, item: ItemRange): TextPatch {
  const [open, close] = holder.range ?? [item.start - 1, item.end + 1];
  const rest = text.slice(open + 1, item.start) + text.slice(item.end, close - 1);
  const whole = { start: open + 1, end: close - 1, text: "" };
  return /^[\s,]*$/.test(rest) ? whole : { ...item, text: "" };
}

/** The items change places; the commas, line breaks and comments between them stay. */
export function moveFlowItem(source: Source, seq: YAMLSeq, from: number, to: number): TextPatch[] {
  const items = flowItems(seq);
  const target = to > from ? to - 1 : to;
  const order = items.map((_, index) => index);
  order.splice(target, 0, ...order.splice(from, 1));
  return items.flatMap((slot, index) => {
    const moved = items[order[index] ?? index];
    if (moved === undefined || moved === slot) return [];
    return [{ start: slot.start, end: slot.end, text: source.text.slice(moved.start, moved.end) }];
  });
}
