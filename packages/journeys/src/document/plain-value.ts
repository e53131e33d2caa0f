import { isAlias, isMap, isNode, isScalar, isSeq } from "yaml";
import type { Alias, Document, Node, Pair } from "yaml";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import type { ParseLimits } from "./limits.ts";
import type { Position, Problem } from "./problem.ts";

interface Walk {
  limits: ParseLimits;
  at: (offset: number) => Position;
  nodes: number;
  stopped: boolean;
  problems: Problem[];
  anchors: Map<string, Node>;
  aliases: AliasTargets;
}

/** The target of each alias. `Alias.resolve` searches the whole document every time: quadratic for a hostile one. */
export type AliasTargets = Map<Alias, Node>;

/**
 * The JSON value of a syntax tree. Aliases are expanded within the node limit. What JSON can't express (a tag's object, NaN, a
 * cyclic alias) is a problem and becomes null.
 */
export function toPlainValue(
  ast: Document.Parsed,
  limits: ParseLimits,
  at: (offset: number) => Position,
): { value: JsonValue | undefined; problems: Problem[]; aliases: AliasTargets } {
  const found = { problems: [], anchors: new Map<string, Node>(), aliases: new Map<Alias, Node>() };
  const walk: Walk = { limits, at, nodes: 0, stopped: false, ...found };
  const value = plain(walk, ast.contents, "", 0, ast.range[0]);
  return { value: walk.stopped ? undefined : value, problems: walk.problems, aliases: walk.aliases };
}

function report(walk: Walk, code: string, message: string, pointer: Pointer, offset: number): void {
  if (walk.problems.length >= walk.limits.problems) return;
  walk.problems.push({ severity: "error", code, message, pointer, ...walk.at(offset) });
}

function plain(walk: Walk, node: Node | null, pointer: Pointer, depth: number, offset: number): JsonValue {
  if (walk.stopped) return null;
  walk.nodes += 1;
  if (walk.nodes > walk.limits.nodes || depth > walk.limits.depth) {
    walk.stopped = true;
    const bound =
      walk.nodes > walk.limits.nodes ? `${walk.limits.nodes} values` : `${walk.limits.depth} levels`;
    const message = `With its aliases expanded the document has more than ${bound}; repeat less or split it.`;
    report(walk, "document-too-large", message, pointer, offset);
    return null;
  }
  const from = node?.range?.[0] ?? offset;
  if (isAlias(node)) return expanded(walk, node, pointer, depth, from);
  const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
  if (anchor !== undefined && node !== null) walk.anchors.set(anchor, node);
  if (isScalar(node)) return scalar(walk, node.value, node.source, pointer, from);
  if (isMap(node)) {
    const object: JsonObject = {};
    for (const pair of node.items) member(walk, object, pair, pointer, depth, from);
    return object;
  }
  if (isSeq(node)) {
    return node.items.map((item, index) => {
      const child = childPointer(pointer, index);
      return plain(walk, nodeOf(item), child, depth + 1, from);
    });
  }
  return null;
}

function expanded(walk: Walk, alias: Alias, pointer: Pointer, depth: number, from: number): JsonValue {
  // If an alias occurs again inside another expansion, it keeps its first meaning, in document order.
  const target = walk.aliases.get(alias) ?? walk.anchors.get(alias.source);
  if (target === undefined) {
    report(walk, "syntax", `The alias *${alias.source} names no anchor above it.`, pointer, from);
    return null;
  }
  walk.aliases.set(alias, target);
  return plain(walk, target, pointer, depth + 1, from);
}

function member(
  walk: Walk,
  object: JsonObject,
  pair: Pair,
  pointer: Pointer,
  depth: number,
  offset: number,
): void {
  if (walk.stopped) return;
  const key = nodeOf(pair.key);
  const name = keyName(key);
  const from = key?.range?.[0] ?? offset;
  if (name === undefined) return report(walk, "syntax", "A key must be a plain text.", pointer, from);
  const child = childPointer(pointer, name);
  if (name === "__proto__") {
    return report(
      walk,
      "forbidden-key",
      "The key __proto__ isn't accepted; send it inside a text if you must.",
      child,
      from,
    );
  }
  if (Object.hasOwn(object, name)) {
    return report(
      walk,
      "duplicate-key",
      `The key ${name} occurs twice in this object; keep one.`,
      child,
      from,
    );
  }
  object[name] = plain(walk, nodeOf(pair.value), child, depth + 1, from);
}

export function keyName(key: unknown): string | undefined {
  if (!isScalar(key)) return undefined;
  return typeof key.value === "string" ? key.value : (key.source ?? "");
}

export function nodeOf(item: unknown): Node | null {
  return isNode(item) ? item : null;
}

function scalar(
  walk: Walk,
  value: unknown,
  source: string | undefined,
  pointer: Pointer,
  offset: number,
): JsonValue {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") {
    if (!value.isWellFormed()) {
      report(walk, "invalid-text", "The text holds half of a surrogate pair.", pointer, offset);
    }
    return value;
  }
  if (typeof value === "number" && Number.isFinite(value)) {
    if (Number.isInteger(value) && !Number.isSafeInteger(value) && /^[-+]?\d+$/.test(source ?? "")) {
      const message = `The number ${source} can't be kept exactly; put it in quotes.`;
      report(walk, "inexact-number", message, pointer, offset);
    }
    return value === 0 ? 0 : value;
  }
  report(
    walk,
    "not-json",
    "JSON can't express this value; use text, a finite number, true, false or null.",
    pointer,
    offset,
  );
  return null;
}
