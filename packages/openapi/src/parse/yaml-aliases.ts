import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isPair,
  isScalar,
  type LineCounter,
  type Node,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { DocumentError } from "./parsed-document.ts";

/** More anchors and aliases than any spec has; resolving them costs the square of their number. */
const YAML_ALIASES_MAX = 10_000;

/** The maximum number of nodes after expanding all aliases. A 10 MB spec without aliases has fewer. */
const YAML_EXPANDED_NODES_MAX = 4_000_000;

interface Walk {
  /** The anchor's size in nodes, or "open" while it is being counted: an alias to an open anchor is cyclic. */
  sizes: Map<string, number | "open">;
  aliases: number;
  refuse: (node: Node, what: string) => Error;
}

/**
 * Refuses aliases that contain themselves, and anchors that expand exponentially: nine lines of aliases to aliases expand to
 * billions of nodes ("billion laughs"). Linear in the size of the file.
 * @throws DocumentError with the line of the alias
 */
export function checkAliases(document: Document.Parsed, context: { name: string; lines: LineCounter }): void {
  const walk: Walk = {
    sizes: new Map(),
    aliases: 0,
    refuse: (node, what) => {
      const line = context.lines.linePos(node.range?.[0] ?? 0).line;
      return new DocumentError(`${context.name}:${line} has ${what}.`);
    },
  };
  expandedSize(document.contents, walk);
}

function expandedSize(node: unknown, walk: Walk): number {
  if (isPair(node)) return expandedSize(node.key, walk) + expandedSize(node.value, walk);
  if (isAlias(node)) return aliasSize(node, walk);
  const anchored = (isScalar(node) || isCollection(node)) && node.anchor !== undefined ? node : undefined;
  if (anchored !== undefined) countAlias(anchored, walk);
  if (anchored?.anchor !== undefined) walk.sizes.set(anchored.anchor, "open");
  const size = 1 + (isCollection(node) ? itemsSize(node, walk) : 0);
  if (anchored?.anchor !== undefined) walk.sizes.set(anchored.anchor, size);
  return size;
}

function itemsSize(node: YAMLMap | YAMLSeq, walk: Walk): number {
  let size = 0;
  for (const item of node.items) {
    size += expandedSize(item, walk);
    if (size > YAML_EXPANDED_NODES_MAX) {
      throw walk.refuse(node, `aliases that expand to more than ${YAML_EXPANDED_NODES_MAX} values`);
    }
  }
  return size;
}

function aliasSize(alias: Alias, walk: Walk): number {
  countAlias(alias, walk);
  const size = walk.sizes.get(alias.source);
  if (size === undefined) {
    throw walk.refuse(
      alias,
      `the alias *${alias.source}, whose anchor &${alias.source} does not stand before it`,
    );
  }
  if (size === "open") throw walk.refuse(alias, `the alias *${alias.source} inside its own anchor, a cycle`);
  return size;
}

function countAlias(node: Node, walk: Walk): void {
  walk.aliases++;
  if (walk.aliases > YAML_ALIASES_MAX) {
    throw walk.refuse(node, `more than ${YAML_ALIASES_MAX} YAML anchors and aliases`);
  }
}
