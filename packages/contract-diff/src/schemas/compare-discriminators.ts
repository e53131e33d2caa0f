import { isObject, ownObject, ownString } from "@waymark/openapi/json.ts";
import type { Conjunction, SchemaNode } from "../read/node.ts";
import { listed } from "./listed.ts";
import { ALL, emptyResult, type Finding, type PairResult } from "./pair-result.ts";
import type { SubsetTest } from "./subset.ts";

interface Discriminator {
  node: SchemaNode;
  property: string;
  /** The schema of each value. */
  values: ReadonlyMap<string, SchemaNode>;
  /** The values that the mapping lists. */
  explicit: ReadonlySet<string>;
  /** The schemas that `oneOf` or `anyOf` lists. */
  alternatives: readonly SchemaNode[];
}

/** Stands for the values that no mapping names. */
const OTHERS = "(others)";

/** Compares how the value of a property chooses the schema of an object. */
export function compareDiscriminators(subset: SubsetTest, old: Conjunction, next: Conjunction): PairResult {
  const [before, after] = [discriminatorOf(old), discriminatorOf(next)];
  if (before === undefined && after === undefined) return emptyResult();
  const places = { oldNode: before?.node, newNode: after?.node, keyword: "discriminator" };
  if (before === undefined) {
    const levels = { request: "safe", response: "safe" } as const;
    const finding: Finding = {
      kind: "discriminator-added",
      effect: "unknown",
      levels,
      after: after?.property,
      ...places,
    };
    return { findings: [finding], edges: [] };
  }
  if (after === undefined) {
    const levels = { request: "maybe", response: "maybe" } as const;
    const finding: Finding = {
      kind: "discriminator-removed",
      effect: "unknown",
      levels,
      before: before.property,
      ...places,
    };
    return { findings: [finding], edges: [] };
  }
  if (before.property !== after.property) {
    const texts = { before: before.property, after: after.property };
    return { findings: [{ kind: "discriminator-renamed", effect: "both", ...texts, ...places }], edges: [] };
  }
  const isEqual = (a: SchemaNode, b: SchemaNode) => subset([a], [b]) === "yes" && subset([b], [a]) === "yes";
  return compareMappings({ before, after, isEqual }, places);
}

interface DiscriminatorPair {
  before: Discriminator;
  after: Discriminator;
  isEqual: (a: SchemaNode, b: SchemaNode) => boolean;
}

function compareMappings(pair: DiscriminatorPair, places: Partial<Finding>): PairResult {
  const { before, after } = pair;
  const result = emptyResult();
  for (const [value, node] of before.values) {
    const target = after.values.get(value);
    if (target === undefined) {
      result.findings.push({ ...goneValue(pair, value, node), ...places });
    } else if (before.alternatives.length === 0) {
      // Alternatives are compared with each other; a mapping beside none is the only way to its schemas.
      const step = { kind: "part" as const, keyword: `value ${value}` };
      result.edges.push({ old: [node], new: [target], step, pass: ALL });
    } else if (isRemapped(before, after, node, target)) {
      const kind = "discriminator-value-remapped";
      result.findings.push({ kind, effect: "both", before: value, after: value, ...places });
    }
  }
  const renamed = new Set(result.findings.map((finding) => finding.after));
  for (const [value, node] of after.values) {
    if (before.values.has(value) || renamed.has(value)) continue;
    const implied = !after.explicit.has(value);
    // Which schemas extend this one is often not all that a client learns.
    const levels = implied && after.alternatives.length === 0 ? { response: "maybe" as const } : undefined;
    const texts = { after: value, subject: node.name, levels };
    result.findings.push({ kind: "discriminator-value-added", effect: "widen", ...texts, ...places });
  }
  return result;
}

function goneValue(pair: DiscriminatorPair, value: string, node: SchemaNode): Finding {
  const { before, after } = pair;
  const renamed = [...after.values.keys()].find(
    (other) => !before.values.has(other) && isSuccessor(pair, node, other),
  );
  if (renamed !== undefined) {
    return { kind: "discriminator-value-renamed", effect: "both", before: value, after: renamed };
  }
  // Without its schema, the value is gone as an alternative is; with it, what had that value arrives as something else.
  const stays = after.alternatives.some(({ name }) => name !== undefined && name === node.name);
  const isKept = [...after.values].some(
    ([other, each]) => before.values.has(other) && isSameSchema(each, node),
  );
  const effect = stays && !isKept ? "both" : "narrow";
  return { kind: "discriminator-value-removed", effect, before: value, subject: node.name };
}

/** True if a value stands for the schema that another value stood for, which may have another name by now. */
function isSuccessor(
  { before, after, isEqual }: DiscriminatorPair,
  node: SchemaNode,
  value: string,
): boolean {
  const next = after.values.get(value);
  if (next === undefined) return false;
  if (isSameSchema(node, next)) return true;
  const named = (side: Discriminator, name: string | undefined) =>
    [...side.values.values()].some((each) => each.name === name);
  return !named(before, next.name) && !named(after, node.name) && isEqual(node, next);
}

/** A value leads to another of the alternatives that both sides have. */
function isRemapped(
  before: Discriminator,
  after: Discriminator,
  node: SchemaNode,
  target: SchemaNode,
): boolean {
  if (isSameSchema(node, target) || node.name === undefined || target.name === undefined) return false;
  const known = (side: Discriminator, name: string) => side.alternatives.some((each) => each.name === name);
  return known(after, node.name) || known(before, target.name);
}

function isSameSchema(a: SchemaNode, b: SchemaNode): boolean {
  return a.name !== undefined && b.name !== undefined
    ? a.name === b.name
    : JSON.stringify(a.value) === JSON.stringify(b.value);
}

function discriminatorOf(conjunction: Conjunction): Discriminator | undefined {
  for (const node of conjunction) {
    const found = readDiscriminator(node);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readDiscriminator(node: SchemaNode): Discriminator | undefined {
  const { owner, value } = node;
  if (owner === undefined || !isObject(value)) return undefined;
  const declared = value["discriminator"];
  const property = typeof declared === "string" ? declared : ownString(declared, "propertyName");
  if (property === undefined) return undefined;
  const alternatives = ["oneOf", "anyOf"].flatMap((keyword) => listed(node, keyword));
  const values = new Map<string, SchemaNode>();
  for (const [name, target] of Object.entries(ownObject(declared, "mapping") ?? {})) {
    const found = typeof target === "string" ? owner.mapped(target, node.file) : undefined;
    if (found !== undefined) values.set(name, found);
  }
  const explicit = new Set(values.keys());
  const fallback = ownString(declared, "defaultMapping");
  const others = fallback === undefined ? undefined : owner.mapped(fallback, node.file);
  if (others !== undefined) values.set(OTHERS, others);
  const mapped = new Set([...values.values()].map(({ id }) => id));
  const implied = alternatives.length > 0 ? alternatives : owner.extensionsOf(node);
  for (const each of implied) {
    if (each.name !== undefined && !mapped.has(each.id) && !values.has(each.name))
      values.set(each.name, each);
  }
  return { node, property, values, explicit, alternatives };
}
