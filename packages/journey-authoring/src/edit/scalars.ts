import { isAlias, isMap, isScalar, isSeq } from "yaml";
import type { Node, YAMLMap } from "yaml";
import type { JsonPrimitive } from "@waymark/openapi/json.ts";
import { parentPointer, decodePointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { nodeOf } from "@waymark/journeys/document/plain-value.ts";
import { withDeeperComments } from "./items.ts";
import type { TextPatch } from "./patch.ts";
import { EditRefused } from "./refusal.ts";
import { renderKey, renderScalar } from "./render.ts";
import {
  blockIndent,
  contentEnd,
  isEmptyScalar,
  isFlow,
  lineEndAfter,
  lineStart,
  locate,
  pairEnd,
} from "./syntax.ts";
import type { Located, Source } from "./syntax.ts";

/** Replaces a scalar's characters and nothing else. */
export function replaceScalar(
  source: Source,
  pointer: Pointer,
  value: JsonPrimitive,
  forceOneLine = false,
): TextPatch {
  const located = locate(source, pointer);
  if (located.shared)
    throw new EditRefused("This text is used through an alias; change it at its anchor.", pointer);
  return scalarPatch(source, located, value, pointer, forceOneLine);
}

export function scalarPatch(
  source: Source,
  { node, parent, pair }: Located,
  value: JsonPrimitive,
  pointer: Pointer,
  forceOneLine = false,
): TextPatch {
  const { text, json, newline } = source;
  const flow = parent !== undefined && isFlow(parent);
  const indent = !flow && (isMap(parent) || isSeq(parent)) ? blockIndent(source, parent) : 0;
  const style = isScalar(node) ? node.type : undefined;
  const oneLine = forceOneLine || !node?.range || !atLineEnd(text, node.range[1]);
  const rendered = renderScalar(value, { json, flow, indent, newline, oneLine, style: known(style) });
  if (node === null) {
    const end = nodeOf(pair?.key)?.range?.[1];
    if (end === undefined) throw new EditRefused("There is no text to replace.", pointer);
    return { start: end, end, text: `: ${rendered}` };
  }
  const range = node.range;
  if (!range || !(isScalar(node) || isAlias(node)))
    throw new EditRefused("Only a scalar can be set.", pointer);
  const [start, end] = range;
  if (isEmptyScalar(node))
    return { start, end, text: (/\s/.test(text[start - 1] ?? "") ? "" : " ") + rendered };
  return { start, end, text: endedLike(text.slice(start, end), rendered, newline) };
}

function known(
  style: string | undefined,
): "PLAIN" | "QUOTE_DOUBLE" | "QUOTE_SINGLE" | "BLOCK_FOLDED" | "BLOCK_LITERAL" | undefined {
  switch (style) {
    case "PLAIN":
    case "QUOTE_DOUBLE":
    case "QUOTE_SINGLE":
    case "BLOCK_FOLDED":
    case "BLOCK_LITERAL":
      return style;
    default:
      return undefined;
  }
}

function atLineEnd(text: string, offset: number): boolean {
  return text.slice(offset, lineEndAfter(text, offset)).trim() === "";
}

/** A block scalar owns its last line break, other scalars don't: what replaces one by the other makes up for it. */
function endedLike(old: string, rendered: string, newline: string): string {
  const had = old.endsWith("\n");
  const has = rendered.endsWith("\n");
  if (had === has) return rendered;
  if (had) return rendered + newline;
  return rendered.replace(/\r?\n$/, "");
}

/** Adds a member behind the last one of an existing object. */
export function addMember(
  source: Source,
  pointer: Pointer,
  value: JsonPrimitive,
  forceOneLine = false,
): TextPatch {
  const { node, shared } = locate(source, parentPointer(pointer));
  if (shared || isAlias(node))
    throw new EditRefused("This object is used through an alias; change it at its anchor.", pointer);
  if (!isMap(node)) throw new EditRefused("What would hold this field is no object.", pointer);
  const key = (decodePointer(pointer) ?? []).at(-1) ?? "";
  return isFlow(node)
    ? addToFlow(source, node, key, value)
    : addToBlock(source, node, key, value, forceOneLine);
}

function addToBlock(
  source: Source,
  map: YAMLMap,
  key: string,
  value: JsonPrimitive,
  oneLine: boolean,
): TextPatch {
  const { text, newline } = source;
  const indent = blockIndent(source, map);
  const content = lineEndAfter(text, pairEnd(map.items.at(-1), map.range?.[1] ?? 0));
  const end = withDeeperComments(text, content, indent);
  const scalar = renderScalar(value, { json: false, flow: false, indent, newline, oneLine });
  const line = `${" ".repeat(indent)}${renderKey(key, false, false)} ${scalar.replace(/\r?\n$/, "")}`;
  const unfinished = end > 0 && text[end - 1] !== "\n";
  return { start: end, end, text: unfinished ? newline + line : line + newline };
}

function addToFlow(source: Source, map: YAMLMap, key: string, value: JsonPrimitive): TextPatch {
  const { text, json, newline } = source;
  const scalar = renderScalar(value, { json, flow: true, indent: 0, newline });
  const member = `${renderKey(key, json, true)} ${scalar}`;
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
