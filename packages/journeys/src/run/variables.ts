import { isObject } from "@waymark/openapi/json.ts";
import { randomEmail, randomLetters, randomUuid } from "../expressions/functions/random-values.ts";
import { seededRandom } from "./random.ts";
import type { Random } from "./random.ts";

/**
 * The values of `x-journey.vars`. A generator with a seed gives the same value in every run; without one, in every run with the
 * same seed.
 */
export function makeVariables(
  vars: Readonly<Record<string, unknown>>,
  runSeed: string,
  now: () => number,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, variable] of Object.entries(vars)) {
    if (!isObject(variable) || typeof variable["generate"] !== "string") {
      values[name] = variable;
      continue;
    }
    const { seed } = variable;
    const hasOwn = typeof seed === "string" || typeof seed === "number";
    const random = seededRandom(`${name}:${hasOwn ? seed : runSeed}`);
    values[name] = generate(variable, random, hasOwn ? SEEDED_TIME : now());
  }
  return values;
}

/** A seeded date-time lies within a year of this instant (2024-01-01T00:00:00Z). */
const SEEDED_TIME = 1_704_067_200_000;
const YEAR_MS = 31_536_000_000;
const LENGTH_MAX = 1_000;

function generate(variable: Record<string, unknown>, random: Random, time: number): unknown {
  const prefix = typeof variable["prefix"] === "string" ? variable["prefix"] : "";
  switch (variable["generate"]) {
    case "uuid":
      return prefix + randomUuid(random);
    case "integer": {
      const min = numberOr(variable["min"], 0);
      const max = Math.max(min, numberOr(variable["max"], 1_000_000));
      return min + Math.floor(random() * (max - min + 1));
    }
    case "email":
      return prefix + randomEmail(random);
    case "date-time":
      return new Date(time - Math.floor(random() * YEAR_MS)).toISOString();
    default:
      return prefix + randomLetters(random, Math.min(numberOr(variable["length"], 12), LENGTH_MAX));
  }
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}
