import { type SchemaContext, spend } from "./context.ts";
import { schemaOfName, type Shape } from "./shape.ts";

type Fixed = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * True if the shapes are known to have no value in common: they have no type in common, or a required property has other fixed
 * values. Alternatives of a union are most often told apart by this, without a look at anything else.
 */
export function areDisjoint(context: SchemaContext, a: Shape, b: Shape): boolean {
  spend(context);
  const common = [...a.types].filter((type) => b.types.has(type));
  if (common.length === 0) return true;
  if (a.values !== undefined && b.values !== undefined) {
    const { values } = b;
    return ![...a.values.keys()].some((text) => values.has(text));
  }
  if (common.length > 1 || common[0] !== "object") return false;
  const [left, right] = [fixedOf(context, a), fixedOf(context, b)];
  return [...left].some(([name, values]) => {
    const others = right.get(name);
    return others !== undefined && ![...values].some((text) => others.has(text));
  });
}

/** Returns the values of the required properties that list them. */
function fixedOf(context: SchemaContext, shape: Shape): Fixed {
  const known = context.fixed.get(shape);
  if (known !== undefined) return known;
  const fixed = new Map<string, ReadonlySet<string>>();
  const isMatch = (pattern: string, name: string) => context.matchesPattern(pattern, name) === true;
  for (const name of shape.required) {
    const conjunction = schemaOfName(shape, name, isMatch);
    const { shapes, undecided } = conjunction.length === 0 ? NONE : context.expand(conjunction);
    const lists = shapes.flatMap(({ values }) => values ?? []);
    if (undecided === undefined && lists.length === shapes.length && lists.length > 0)
      fixed.set(name, new Set(lists.flatMap((values) => [...values.keys()])));
  }
  context.fixed.set(shape, fixed);
  return fixed;
}

const NONE: { shapes: readonly Shape[]; undecided: string | undefined } = {
  shapes: [],
  undecided: undefined,
};
