import { isAlias, isMap, isSeq } from "yaml";
import type { Document, Node, Pair, YAMLMap } from "yaml";
import { decodePointer } from "@waymark/openapi/pointer.ts";
import { keyName, nodeOf } from "./plain-value.ts";
import type { AliasTargets } from "./plain-value.ts";
import type { Positions } from "./positions.ts";
import type { Position } from "./problem.ts";

/** Objects with more members get an index of them. */
const SMALL = 16;

interface Place {
  node: Node | null;
  key: Node | null;
  /** Offset of the node, or of what stands for an empty one. */
  from: number;
}

/**
 * Finds places by walking down from the root. A table of all of them takes more memory than the document. Below an alias, places
 * are those of its anchor.
 */
export function astPositions(
  ast: Document.Parsed,
  { file, at, aliases }: { file: string; at: (offset: number) => Position; aliases: AliasTargets },
): Positions {
  const indexes = new WeakMap<YAMLMap, Map<string, Pair>>();
  const child = ({ node, from }: Place, token: string): Place | undefined => {
    const target = isAlias(node) ? aliases.get(node) : node;
    if (isMap(target)) {
      const pair = memberOf(indexes, target, token);
      if (pair === undefined) return undefined;
      const key = nodeOf(pair.key);
      const value = nodeOf(pair.value);
      return { node: value, key, from: value?.range?.[0] ?? key?.range?.[0] ?? from };
    }
    const index = isSeq(target) && /^(?:0|[1-9]\d*)$/.test(token) ? Number(token) : -1;
    if (!isSeq(target) || index < 0 || index >= target.items.length) return undefined;
    const item = nodeOf(target.items[index]);
    return { node: item, key: null, from: item?.range?.[0] ?? from };
  };
  return {
    file,
    get(pointer) {
      const tokens = decodePointer(pointer);
      if (tokens === undefined) return undefined;
      const from = ast.contents?.range?.[0] ?? ast.range[0];
      let place: Place | undefined = { node: ast.contents, key: null, from };
      for (const token of tokens) {
        place = child(place, token);
        if (place === undefined) return undefined;
      }
      const value = at(place.from);
      return place.key?.range ? { key: at(place.key.range[0]), value } : { value };
    },
  };
}

/** The last member of this name: a repeated one is an error elsewhere. */
function memberOf(
  indexes: WeakMap<YAMLMap, Map<string, Pair>>,
  map: YAMLMap,
  name: string,
): Pair | undefined {
  if (map.items.length <= SMALL) return map.items.findLast((pair) => keyName(nodeOf(pair.key)) === name);
  let index = indexes.get(map);
  if (index === undefined) {
    index = new Map(
      map.items.flatMap((pair) => {
        const key = keyName(nodeOf(pair.key));
        return key === undefined ? [] : [[key, pair] as const];
      }),
    );
    indexes.set(map, index);
  }
  return index.get(name);
}
