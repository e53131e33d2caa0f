import { isAlias, isMap, isScalar, isSeq } from "yaml";
import type { Node, YAMLMap, YAMLSeq } from "yaml";
import type { JsonValue } from "@waymark/openapi/json.ts";
import { decodePointer, parentPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { nodeOf } from "@waymark/journeys/document/plain-value.ts";
import { indentsLists, removeBlockItem, removeBlockMember } from "./block-items.ts";
import { indentUnit, leadingSpace, removeFlowItem } from "./flow-items.ts";
import { withDeeperComments } from "./items.ts";
import type { TextPatch } from "./patch.ts";
import { EditRefused } from "./refusal.ts";
import { renderBlockItem, renderBlockMember, renderFlow, renderKey } from "./render.ts";
import { endedLike } from "./scalars.ts";
import { blockIndent, contentEnd, isFlow, lineEndAfter, lineStart, locate, pairEnd } from "./syntax.ts";
import type { Located, Source } from "./syntax.ts";

type Holder = YAMLMap | YAMLSeq;

/** The form of a collection in a block: on its own lines, or in brackets if that doesn't fit. */
export type Layout = "lines" | "brackets";

/** Replaces a value of any shape, including its comments and quotes. */
export function replaceValue(
  source: Source,
  pointer: Pointer,
  value: JsonValue,
  layout: Layout,
): TextPatch[] {
  const located = locate(source, pointer);
  const holder = holderOf(located, pointer);
  if (isFlow(holder)) {
    const [start, end] = located.node?.range ?? [];
    if (start === undefined || end === undefined)
      throw new EditRefused("There is no text to replace.", pointer);
    return [{ start, end, text: flowText(source, holder, value) }];
  }
  return replaceInBlock(source, holder, located, blockText(source, holder, value, layout));
}

function holderOf({ parent, shared }: Located, pointer: Pointer): Holder {
  if (shared || isAlias(parent))
    throw new EditRefused("This text is used through an alias; change it at its anchor.", pointer);
  if (!isMap(parent) && !isSeq(parent))
    throw new EditRefused("The pointer must name a field, as in /info/title.", pointer);
  return parent;
}

/** Returns the text of a value after the colon or the dash. */
function blockText(source: Source, holder: Holder, value: JsonValue, layout: Layout): string {
  const { newline } = source;
  const indent = blockIndent(source, holder);
  const isCollection = typeof value === "object" && value !== null;
  if (layout === "brackets" && (isCollection || typeof value === "string")) {
    return ` ${renderFlow(value, { json: false, unit: "", indent: "", newline })}`;
  }
  if (isMap(holder)) return renderBlockMember(value, indent, newline, indentsLists(source, holder));
  return renderBlockItem(value, indent, newline, true).slice(indent + 1);
}

function flowText(source: Source, holder: Holder, value: JsonValue): string {
  const { text, json, newline } = source;
  const [start, end] = holder.range ?? [0, 0];
  const isLong = text.slice(start, end).includes("\n");
  const first: unknown = isMap(holder) ? holder.items[0]?.key : holder.items[0];
  const indent = leadingSpace(text, nodeOf(first)?.range?.[0] ?? start);
  return renderFlow(value, { json, unit: isLong ? indentUnit(text) : "", indent, newline });
}

function replaceInBlock(source: Source, holder: Holder, located: Located, written: string): TextPatch[] {
  const { text, newline } = source;
  const from = behindIndicator(holder, located);
  const end = contentEnd(located.node, from);
  const lineEnd = from + (/^[^\r\n]*/.exec(text.slice(from))?.[0].length ?? 0);
  const start = located.node?.range?.[0] ?? from;
  if (start <= lineEnd) {
    return [{ start: from, end, text: endedLike(text.slice(from, end), written, newline) }];
  }
  // The old value begins on a line below, so a comment beside its key stays.
  const ended = endedLike(text.slice(lineEnd, end), written, newline);
  if (/^\r?\n/.test(ended)) return [{ start: lineEnd, end, text: ended }];
  return [
    { start: from, end: from, text: ended.replace(/\r?\n$/, "") },
    { start: lineEnd, end, text: ended.endsWith("\n") ? newline : "" },
  ];
}

/** Offset just behind the colon of a member or the dash of an item. */
function behindIndicator(holder: Holder, { node, pair }: Located): number {
  const tokens = isMap(holder) ? pair?.srcToken?.sep : itemTokens(holder, node);
  const indicator = tokens?.find(({ type }) => type === "map-value-ind" || type === "seq-item-ind");
  if (indicator === undefined) throw new EditRefused("The value is written without a colon or a dash.");
  return indicator.offset + 1;
}

function itemTokens(seq: YAMLSeq, node: Node | null) {
  const token = seq.srcToken;
  const index = seq.items.indexOf(node);
  return token?.type === "block-seq" ? token.items[index]?.start : undefined;
}

/** Adds a member after the last one of an existing object. */
export function addValue(source: Source, pointer: Pointer, value: JsonValue, layout: Layout): TextPatch[] {
  const { node, shared } = locate(source, parentPointer(pointer));
  if (shared || isAlias(node))
    throw new EditRefused("This object is used through an alias; change it at its anchor.", pointer);
  if (!isMap(node)) throw new EditRefused("What would hold this field is no object.", pointer);
  const key = (decodePointer(pointer) ?? []).at(-1) ?? "";
  return [isFlow(node) ? addToFlow(source, node, key, value) : addToBlock(source, node, key, value, layout)];
}

function addToBlock(source: Source, map: YAMLMap, key: string, value: JsonValue, layout: Layout): TextPatch {
  const { text, newline } = source;
  const indent = blockIndent(source, map);
  const content = lineEndAfter(text, pairEnd(map.items.at(-1), map.range?.[1] ?? 0));
  const end = withDeeperComments(text, content, indent);
  const written = blockText(source, map, value, layout).replace(/\r?\n$/, "");
  const line = `${" ".repeat(indent)}${renderKey(key, false, false)}${written}`;
  const unfinished = end > 0 && text[end - 1] !== "\n";
  return { start: end, end, text: unfinished ? newline + line : line + newline };
}

function addToFlow(source: Source, map: YAMLMap, key: string, value: JsonValue): TextPatch {
  const { text, json, newline } = source;
  const member = `${renderKey(key, json, true)} ${flowText(source, map, value)}`;
  const last = map.items.at(-1);
  const opening = (map.range?.[0] ?? 0) + 1;
  if (last === undefined) return { start: opening, end: opening, text: json ? member : ` ${member} ` };
  const lastKey: Node | null = nodeOf(last.key);
  const start = lastKey?.range?.[0] ?? opening;
  const end = contentEnd(nodeOf(last.value), lastKey?.range?.[1] ?? opening);
  const before = text.slice(lineStart(text, start), start);
  const gap = before.trim() === "" ? `,${newline}${before}` : ", ";
  return { start: end, end, text: gap + member };
}

/** Removes an item or a member; an empty list or object is written as `[]` or `{}`. */
export function removeValue(source: Source, pointer: Pointer): TextPatch[] {
  const located = locate(source, pointer);
  const holder = holderOf(located, pointer);
  const items: readonly unknown[] = holder.items;
  const at = isMap(holder)
    ? holder.items.findIndex((pair) => pair === located.pair)
    : items.indexOf(located.node);
  if (isFlow(holder)) return removeFlowItem(source, holder, at);
  if (items.length === 1)
    return replaceValue(source, parentPointer(pointer), isMap(holder) ? {} : [], "brackets");
  return isMap(holder) ? removeBlockMember(source, holder, at) : removeBlockItem(source, holder, at);
}

/** Wraps a value in a list or under a key. Its text stays, with its further lines indented deeper. */
export function wrapValue(
  source: Source,
  pointer: Pointer,
  key: string | undefined,
  onOwnLine: boolean,
): TextPatch[] {
  const { node, parent, shared } = locate(source, pointer);
  if (shared || isAlias(node))
    throw new EditRefused("This text is used through an alias; change it at its anchor.", pointer);
  const { text, json, newline } = source;
  const range = node?.range;
  if (!range || parent === undefined) throw new EditRefused("There is no text to wrap.", pointer);
  const [start] = range;
  const end = contentEnd(node, range[1]);
  if (isFlow(parent) || isScalar(node) || (node !== null && isFlow(node))) {
    const [open, close] = key === undefined ? ["[", "]"] : [`{ ${renderKey(key, json, true)} `, " }"];
    return [
      { start, end: start, text: open },
      { start: end, end, text: close },
    ];
  }
  const column = start - lineStart(text, start);
  const shift = onOwnLine ? "    " : "  ";
  const lead = onOwnLine ? "  " : "";
  const head =
    key === undefined
      ? `${lead}- `
      : `${lead}${renderKey(key, false, false)}${newline}${" ".repeat(column)}${shift}`;
  const below = text.slice(start, end).replaceAll(/\n(?=[^\r\n])/g, `\n${shift}`);
  return [{ start, end, text: head + below }];
}
