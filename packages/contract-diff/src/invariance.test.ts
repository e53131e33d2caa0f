import { describe, expect, test } from "vitest";
import { compareValues, requestWith, responseWith, worstOf } from "./test-support/compare-texts.ts";
import { createSchemas, type Random, randomFrom } from "./test-support/random-schemas.ts";
import { clone, inlined, mapDeep, renamed, shuffled, toLists, toYaml } from "./test-support/rewrites.ts";

const RUNS = 20;
const RANK = ["safe", "maybe", "breaking"];

/** Runs a property on seeded schemas. A failure names the seed. */
function forEachSeed(check: (random: Random, seed: number) => Promise<void>): () => Promise<void> {
  return async () => {
    for (let seed = 1; seed <= RUNS; seed++) await check(randomFrom(seed), seed);
  };
}

describe("a description that says the same", () => {
  const rewrites = {
    "in the same words": (value: object) => clone(value),
    "with keys, required, enum and allOf in another order": (value: object, random: Random) =>
      shuffled(value, random),
    "with references inlined": (value: object) => inlined(value),
    "with components renamed": (value: object) => renamed(value),
    "as YAML": (value: object) => toYaml(value),
  };
  test.each(Object.entries(rewrites))("%s is no change", forRewrites);

  async function forRewrites(_name: string, rewrite: (value: object, random: Random) => unknown) {
    await forEachSeed(async (random, seed) => {
      const { schema, components } = createSchemas(random);
      for (const make of [requestWith, responseWith]) {
        const text = make(schema, { components });
        expect({ seed, verdicts: await compareValues(text, rewrite(text, random)) }).toEqual({
          seed,
          verdicts: [],
        });
      }
    })();
  }

  test(
    "with nullable of 3.0 as a list of types of 3.1 is no change",
    forEachSeed(async (random, seed) => {
      const { schema, components } = createSchemas(random, { nullable: true });
      const base = requestWith(schema, { components, version: "3.0.3" });
      const head = toLists(requestWith(schema, { components, version: "3.1.0" }));
      expect({ seed, verdicts: await compareValues(base, head) }).toEqual({ seed, verdicts: [] });
    }),
  );
});

describe("a change", () => {
  /** Both schemas with one limit more or less in one place. */
  const changed = (random: Random) => {
    const { schema, components } = createSchemas(random);
    const places: object[] = [];
    mapDeep(schema, (value) => {
      if (["string", "integer", "array"].includes(String(value["type"]))) places.push(value);
      return value;
    });
    const before = clone(schema);
    const target = random.pick(places);
    if (target !== undefined) Object.assign(target, limitOf(target, random));
    return { before, after: schema, components };
  };

  test(
    "that narrows requests widens answers on the way back",
    forEachSeed(async (random, seed) => {
      const { before, after, components } = changed(random);
      const [old, next] = [requestWith(before, { components }), requestWith(after, { components })];
      const sent = worstOf(await compareValues(old, next));
      const [oldGot, nextGot] = [responseWith(before, { components }), responseWith(after, { components })];
      const got = worstOf(await compareValues(nextGot, oldGot));
      expect({ seed, got }).toEqual({ seed, got: sent });
    }),
  );

  test(
    "with another change is at least as severe as each alone",
    forEachSeed(async (random, seed) => {
      const { before, after, components } = changed(random);
      const both = (first: unknown, second: unknown) =>
        requestWith({ type: "object", properties: { first, second } }, { components });
      const other = changed(random);
      const add = (old: unknown, next: unknown) => compareValues(both(before, old), both(after, next));
      const [alone, joined] = [await add(other.before, other.before), await add(other.before, other.after)];
      const rank = (verdicts: typeof alone) => RANK.indexOf(worstOf(verdicts));
      expect({ seed, isLess: rank(joined) < rank(alone) }).toEqual({ seed, isLess: false });
    }),
  );
});

function limitOf(schema: object, random: Random): object {
  const { type } = schema as { type: string };
  if (type === "string") return random.pick([{ minLength: 7 }, { maxLength: 3 }, { enum: ["x"] }]) ?? {};
  return type === "array" ? { minItems: 4 } : (random.pick([{ minimum: 50 }, { multipleOf: 7 }]) ?? {});
}
