import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  type Pair,
} from "yaml";
import { collectDuplicates, type DuplicateKey, type Duplicates, type KnownKeys } from "./duplicate-keys.ts";

/** The facts of a `ParsedDocument` from the syntax tree of its text. */
export interface SourceTree {
  duplicateKeys: () => DuplicateKey[];
  sourceText: (container: object, key: string | number) => string | undefined;
  lineOf: (path: readonly string[]) => number;
}

export function sourceTree(
  document: Document.Parsed,
  { value, lines }: { value: unknown; lines: LineCounter },
): SourceTree {
  let writings: Writings | undefined;
  return {
    sourceText: (container, key) => {
      writings ??= writingsOf(document.contents, value);
      return writings.get(container)?.get(String(key));
    },
    duplicateKeys: () => {
      const { add, found } = collectDuplicates();
      visitKeys(document.contents, [], add);
      return found.map(({ path, offsets }) => ({
        path,
        lines: offsets.map((offset) => lines.linePos(offset).line),
      }));
    },
    lineOf: (path) => lineOf(document, path, lines),
  };
}

/** Visits the keys of all objects. Those of an alias are visited at its anchor only. */
function visitKeys(node: unknown, path: string[], add: Duplicates["add"]): void {
  if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) visitMember(item, { key: String(index), path, add });
  }
  if (!isMap(node)) return;
  const keys: KnownKeys = new Map();
  for (const { key, value } of node.items) {
    const name = keyOf(key);
    if (name !== undefined && isScalar(key)) {
      add(keys, name, { offset: key.range?.[0] ?? 0, path: () => [...path, name] });
    }
    visitMember(value, { key: name ?? "", path, add });
  }
}

function visitMember(
  node: unknown,
  { key, path, add }: { key: string; path: string[]; add: Duplicates["add"] },
): void {
  path.push(key);
  visitKeys(node, path, add);
  path.pop();
}

/** Returns undefined for a key that merges, which may occur twice, and for a collection. */
function keyOf(key: unknown): string | undefined {
  if (!isScalar(key) || isMerge(key)) return undefined;
  return String(key.value);
}

function isMerge(key: unknown): boolean {
  return isScalar(key) && key.type === "PLAIN" && key.source === "<<";
}

function lineOf(document: Document.Parsed, path: readonly string[], lines: LineCounter): number {
  let node: unknown = document.contents;
  let offset = isCollection(node) ? (node.range?.[0] ?? 0) : 0;
  for (const name of path) {
    const container = isAlias(node) ? node.resolve(document) : node;
    if (isMap(container)) {
      const pair: Pair | undefined = container.items.findLast(({ key }) => keyOf(key) === name);
      if (pair === undefined || !isScalar(pair.key)) break;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(container)) {
      node = container.items[Number(name)];
      if (node === undefined) break;
      if (isScalar(node) || isCollection(node) || isAlias(node)) offset = node.range?.[0] ?? offset;
    } else break;
  }
  return lines.linePos(offset).line;
}

type Writings = Map<object, Map<string, string>>;

interface Walk {
  writings: Writings;
  /** The latest node of each anchor, which the aliases after it stand for. */
  anchors: Map<string, unknown>;
}

/** Collects the texts of scalars that differ from their values, by the container of the value and the key. */
function writingsOf(root: unknown, value: unknown): Writings {
  const walk: Walk = { writings: new Map(), anchors: new Map() };
  walkNode(root, value, walk);
  return walk.writings;
}

function walkNode(node: unknown, value: unknown, walk: Walk): void {
  if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined)
    walk.anchors.set(node.anchor, node);
  if (typeof value !== "object" || value === null) return;
  if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) noteMember(item, { into: value, key: index, walk });
  } else if (isMap(node)) noteMap(node.items, value, walk);
}

/** Notes merged members first, because the members beside them win. */
function noteMap(pairs: readonly Pair[], into: object, walk: Walk): void {
  for (const { key, value } of pairs) {
    if (isMerge(key)) noteMerged(value, into, walk);
  }
  for (const { key, value } of pairs) {
    const name = keyOf(key);
    if (name !== undefined) noteMember(value, { into, key: name, walk });
  }
}

function noteMerged(node: unknown, into: object, walk: Walk): void {
  const merged = isAlias(node) ? walk.anchors.get(node.source) : node;
  if (isMap(merged)) noteMap(merged.items, into, walk);
  // The first of several merged maps wins.
  else if (isSeq(merged)) for (const item of merged.items.toReversed()) noteMerged(item, into, walk);
}

function noteMember(
  node: unknown,
  { into, key, walk }: { into: object; key: string | number; walk: Walk },
): void {
  const value: unknown = Reflect.get(into, key);
  const written = isAlias(node) ? walk.anchors.get(node.source) : node;
  const texts = walk.writings.get(into);
  texts?.delete(String(key));
  if (isScalar(written) && written.source !== undefined && isRewritten(value, written.source)) {
    walk.writings.set(into, (texts ?? new Map<string, string>()).set(String(key), written.source));
  }
  // The members of an alias are noted at its anchor.
  if (!isAlias(node)) walkNode(node, value, walk);
}

/** True if the text of a value is another than the one it was read from. */
function isRewritten(value: unknown, source: string): boolean {
  return (typeof value === "number" || typeof value === "boolean") && String(value) !== source;
}
