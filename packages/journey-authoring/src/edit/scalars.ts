import { isAlias, isMap, isScalar, isSeq } from "yaml";
import type { JsonPrimitive } from "@waymark/openapi/json.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { nodeOf } from "@waymark/journeys/document/plain-value.ts";
import type { TextPatch } from "./patch.ts";
import { EditRefused } from "./refusal.ts";
import { renderScalar } from "./render.ts";
import { blockIndent, isEmptyScalar, isFlow, lineEndAfter, locate } from "./syntax.ts";
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

/** A block scalar includes its last line break, other scalars don't; replacing one by the other must account for it. */
export function endedLike(old: string, rendered: string, newline: string): string {
  const had = old.endsWith("\n");
  const has = rendered.endsWith("\n");
  if (had === has) return rendered;
  if (had) return rendered + newline;
  return rendered.replace(/\r?\n$/, "");
}
