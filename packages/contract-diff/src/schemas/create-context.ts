import { createPatternSets } from "../patterns/pattern-sets.ts";
import { type Conjunction, keyOf } from "../read/node.ts";
import type { Expansion, SchemaContext } from "./context.ts";
import { expand } from "./expand.ts";
import { ANY_SHAPE } from "./shape.ts";

/** A schema that needs itself to say what it allows, such as one that excludes itself. */
const CIRCLE: Expansion = {
  shapes: [ANY_SHAPE],
  exclusive: [],
  undecided: "the schema depends on itself",
};

/** @param steps the limit of the work, in the order of one for each schema and keyword */
export function createSchemaContext(steps: number): SchemaContext {
  const expansions = new Map<string, Expansion>();
  const open = new Set<string>();
  const context: SchemaContext = {
    ...createPatternSets(),
    subsets: new Map(),
    fixed: new WeakMap(),
    visible: { request: new WeakMap(), response: new WeakMap() },
    steps,
    expand: (conjunction) => {
      const key = keyOf(conjunction);
      const known = expansions.get(key);
      if (known !== undefined) return known;
      if (open.has(key)) return CIRCLE;
      open.add(key);
      const expansion = expandedAs(key, conjunction);
      expansions.set(key, expansion);
      return expansion;
    },
  };
  const expandedAs = (key: string, conjunction: Conjunction): Expansion => {
    try {
      return expand(context, conjunction);
    } finally {
      open.delete(key);
    }
  };
  return context;
}
