/** Numbers and choices that a seed determines. */
export interface Random {
  below: (limit: number) => number;
  pick: <T>(items: readonly T[]) => T | undefined;
}

/** Returns the numbers of a seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed * 0x9e_37_79_b9;
  const next = () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { below, pick: (items) => items[below(items.length)] };
}

const NAMES = ["Alpha", "Beta", "Gamma"];

/** Returns a schema that refers to components, some in circles. */
export function createSchemas(
  random: Random,
  { nullable = false }: { nullable?: boolean } = {},
): { schema: Record<string, unknown>; components: Record<string, Record<string, unknown>> } {
  const components = Object.fromEntries(NAMES.map((name) => [name, objectOf(random, 2, nullable)]));
  return { schema: objectOf(random, 3, nullable), components };
}

function schemaOf(random: Random, depth: number, nullable: boolean): Record<string, unknown> {
  const kind = random.below(depth > 0 ? 9 : 3);
  const own = nullable && random.below(3) === 0 ? { nullable: true } : {};
  switch (kind) {
    case 0:
      return { type: "string", ...(random.below(2) === 0 ? { maxLength: 20 } : {}), ...own };
    case 1:
      return { type: "integer", minimum: random.below(5), ...own };
    case 2:
      return { type: "string", enum: ["x", "y", ...(Object.keys(own).length > 0 ? [null] : [])], ...own };
    case 3:
      return { $ref: `#/components/schemas/${random.pick(NAMES)}` };
    case 4:
      return { type: "array", items: schemaOf(random, depth - 1, nullable), maxItems: 9, ...own };
    case 5:
      return { allOf: [objectOf(random, depth - 1, nullable), { type: "object", required: ["c", "a"] }] };
    case 6:
      return { oneOf: [{ type: "integer" }, { type: "string", maxLength: 9 }] };
    default:
      return { ...objectOf(random, depth - 1, nullable), ...own };
  }
}

function objectOf(random: Random, depth: number, nullable: boolean): Record<string, unknown> {
  const names = ["a", "b", "c", "d"].slice(0, 1 + random.below(4));
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, schemaOf(random, depth, nullable)])),
    required: names.filter(() => random.below(2) === 0),
    ...(random.below(4) === 0 ? { additionalProperties: { type: "string" } } : {}),
  };
}
