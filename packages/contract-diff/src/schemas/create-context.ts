import { createPatternSets } from "../patterns/pattern-sets.ts";
import { keyOf } from "../read/node.ts";
import type { Expansion, SchemaContext } from "./context.ts";
import { expand } from "./expand.ts";

/** @param steps the limit of the work, in the order of one for each schema and keyword */
export function createSchemaContext(steps: number): SchemaContext {
  const expansions = new Map<string, Expansion>();
  const context: SchemaContext = {
    ...createPatternSets(),
    subsets: new Map(),
    steps,
    expand: (conjunction) => {
      const key = keyOf(conjunction);
      const known = expansions.get(key);
      if (known !== undefined) return known;
      const expansion = expand(context, conjunction);
      expansions.set(key, expansion);
      return expansion;
    },
  };
  return context;
}
