import { compareContracts, type CompareOptions } from "../compare-contracts.ts";
import { loadDescription } from "../read/load-description.ts";
import type { Level, Verdict } from "../verdict.ts";

const RANK: Level[] = ["safe", "maybe", "breaking"];

/** Compares two descriptions that are given as values. */
export async function compareValues(
  base: unknown,
  head: unknown,
  options: Partial<CompareOptions> = {},
): Promise<Verdict[]> {
  const [old, next] = await Promise.all([load(base), load(head)]);
  return compareContracts(old, next, { today: "2026-01-31", ...options }).verdicts;
}

export function load(value: unknown) {
  return loadDescription({ text: typeof value === "string" ? value : JSON.stringify(value), name: "a.json" });
}

export function worstOf(verdicts: readonly Verdict[]): Level {
  return RANK[Math.max(0, ...verdicts.map(({ level }) => RANK.indexOf(level)))] ?? "safe";
}

export interface SchemaHolder {
  version?: string;
  components?: Record<string, unknown>;
}

/** Returns a description with one operation that takes the schema as its body. */
export function requestWith(schema: unknown, { version = "3.1.0", components = {} }: SchemaHolder = {}) {
  return describe({ requestBody: { content: { "application/json": { schema } } } }, { version, components });
}

/** Returns a description with one operation that answers with the schema. */
export function responseWith(schema: unknown, { version = "3.1.0", components = {} }: SchemaHolder = {}) {
  const responses = { 200: { description: "d", content: { "application/json": { schema } } } };
  return describe({ responses }, { version, components });
}

/** Returns a description whose only operation is `POST /things`. */
export function describe(operation: object, { version = "3.1.0", components = {} }: SchemaHolder = {}) {
  return {
    openapi: version,
    info: { title: "T", version: "1" },
    paths: { "/things": { post: { responses: { 200: { description: "d" } }, ...operation } } },
    components: { schemas: components },
  };
}
