import { isAlias, isCollection, isMap, isScalar, isSeq } from "yaml";
import type { Document, Node, Pair, YAMLMap, YAMLSeq } from "yaml";
import { decodePointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { keyName, nodeOf } from "@waymark/journeys/document/plain-value.ts";
import { EditRefused } from "./refusal.ts";

/** A text to be edited with its syntax tree. */
export interface Source {
  text: string;
  ast: Document.Parsed;
  /** The text is JSON, and stays JSON. */
  json: boolean;
  newline: "\n" | "\r\n";
}

/** A node, and the pair that holds it when its parent is a map. */
export interface Located {
  node: Node | null;
  pair?: Pair;
  parent?: Node;
  /** The node is inside an alias's anchor, so its text is used in several places. */
  shared: boolean;
}

export function sourceFrom(text: string, ast: Document.Parsed): Source {
  const firstBreak = text.indexOf("\n");
  return {
    text,
    ast,
    json: isJson(text),
    newline: firstBreak > 0 && text[firstBreak - 1] === "\r" ? "\r\n" : "\n",
  };
}

function isJson(text: string): boolean {
  if (!text.trimStart().startsWith("{")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** @throws EditRefused if the text has nothing there. */
export function locate({ ast }: Source, pointer: Pointer): Located {
  let at: Located = { node: ast.contents, shared: false };
  for (const part of decodePointer(pointer) ?? []) {
    let parent = at.node;
    let { shared } = at;
    if (isAlias(parent)) {
      parent = parent.resolve(ast) ?? null;
      shared = true;
    }
    if (isMap(parent)) {
      const pair = parent.items.find((item) => keyName(nodeOf(item.key)) === part);
      if (pair === undefined) throw new EditRefused("There is no such field in the text.", pointer);
      at = { node: nodeOf(pair.value), pair, parent, shared };
    } else if (isSeq(parent) && Number(part) < parent.items.length) {
      at = { node: nodeOf(parent.items[Number(part)]), parent, shared };
    } else throw new EditRefused("There is no such field in the text.", pointer);
  }
  return at;
}

export function isFlow(node: Node): boolean {
  return isCollection(node) && node.flow === true;
}

/** The offset after the last character of a node's content, without the comments and blank lines that follow. */
export function contentEnd(node: Node | null, fallback: number): number {
  if (node === null) return fallback;
  if (isCollection(node) && node.flow !== true) {
    const last: unknown = node.items.at(-1);
    if (last === undefined) return node.range?.[0] ?? fallback;
    return isMap(node)
      ? pairEnd(node.items.at(-1), fallback)
      : contentEnd(nodeOf(last), node.range?.[0] ?? fallback);
  }
  return node.range?.[1] ?? fallback;
}

export function pairEnd(pair: Pair | undefined, fallback: number): number {
  const key = nodeOf(pair?.key);
  return contentEnd(nodeOf(pair?.value), key?.range?.[1] ?? fallback);
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** Offset of the line break's end of the line in which the offset stands; for a line's start that start itself. */
export function lineEndAfter(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === "\n") return offset;
  const found = text.indexOf("\n", offset);
  return found < 0 ? text.length : found + 1;
}

/** Column (from 0) at which the items or the keys of a block collection stand. */
export function blockIndent(source: Source, node: YAMLMap | YAMLSeq): number {
  const token = node.srcToken;
  if (token !== undefined && "indent" in token && token.type !== "flow-collection") return token.indent;
  const start = node.range?.[0] ?? 0;
  return start - lineStart(source.text, start);
}

export function isEmptyScalar(node: Node | null): boolean {
  return isScalar(node) && node.range !== null && node.range !== undefined && node.range[0] === node.range[1];
}
