import { isObject } from "@waymark/openapi/json.ts";
import type { Operation, Parameter } from "../read/operation.ts";
import { ownNumber } from "../schemas/read-keywords.ts";
import { addChange, nameOf, type OperationPair, placeOf, writtenBy } from "./change.ts";
import { readDay } from "./days.ts";
import { compareStyles, isListOf } from "./parameter-style.ts";

/** Compares the parameters of two operations; those of a path by their position. */
export function compareParameters(pair: OperationPair): void {
  const { old, next } = pair;
  const after = new Map(explodedLike(next, old).map((parameter) => [keyOf(next, parameter), parameter]));
  for (const parameter of explodedLike(old, next)) {
    const key = keyOf(old, parameter);
    const match = after.get(key);
    after.delete(key);
    if (match === undefined) addRemoved(pair, parameter);
    else compareParameter(pair, parameter, match);
  }
  for (const parameter of after.values()) addAdded(pair, parameter);
}

/** The position of a path parameter in the path is its identity; of others, the place and the name. */
function keyOf({ path, kind }: Operation, { in: place, name }: Parameter): string {
  if (place === "header") return `header ${name.toLowerCase()}`;
  if (place !== "path" || kind !== "operation") return `${place} ${name}`;
  const names = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, each]) => each);
  return `path ${names.includes(name) ? names.indexOf(name) : name}`;
}

function addRemoved(pair: OperationPair, parameter: Parameter): void {
  const day = readDay(parameter.sunset);
  const announced =
    parameter.deprecated &&
    (parameter.sunset === undefined || (day !== undefined && day <= pair.policy.today));
  const isProvided = pair.sent === "response";
  const label = labelOf(parameter);
  addChange(pair, {
    kind: announced ? "parameter-removed-after-deprecation" : "parameter-removed",
    level: announced ? "safe" : isProvided && parameter.required ? "breaking" : "maybe",
    direction: pair.sent,
    part: label,
    message: isProvided
      ? `The ${label} no longer arrives.`
      : `The ${label} was removed: servers ignore or refuse it, and its effect is lost.`,
    before: parameter.required ? "required" : "optional",
    base: placeOf(parameter.at),
  });
}

function addAdded(pair: OperationPair, parameter: Parameter): void {
  const label = labelOf(parameter);
  const breaks = parameter.required && pair.sent === "request";
  addChange(pair, {
    kind: parameter.required ? "required-parameter-added" : "parameter-added",
    level: breaks ? "breaking" : "safe",
    direction: pair.sent,
    part: label,
    message: breaks
      ? `The required ${label} was added: requests without it are refused.`
      : `The ${label} was added.`,
    after: parameter.required ? "required" : "optional",
    head: placeOf(parameter.at),
  });
}

function compareParameter(pair: OperationPair, old: Parameter, next: Parameter): void {
  const part = labelOf(next);
  const places = { base: placeOf(old.at), head: placeOf(next.at) };
  if (old.required !== next.required) addRequiredChange(pair, { part, required: next.required, ...places });
  compareStyles(pair, old, next, part);
  const mediaType = next.mediaType ?? old.mediaType;
  // One value reads as a list of one.
  const widened = !isListOf(old) && isListOf(next) && isExplodedForm(next) && leastItems(next) <= 1;
  const item = widened ? next.schema[0] : undefined;
  const schema =
    item?.owner?.schema({ value: item.value, file: item.file, pointer: item.pointer }, "items") ??
    next.schema;
  pair.findings.schemas.push({
    operation: nameOf(pair.next),
    part,
    old: old.schema,
    next: schema,
    mode: pair.sent,
    written: mediaType === undefined ? "text" : writtenBy(mediaType, mediaType),
    cap: "breaking",
    optional: !next.required,
    ...places,
  });
}

function addRequiredChange(
  pair: OperationPair,
  change: {
    part: string;
    required: boolean;
    base: ReturnType<typeof placeOf>;
    head: ReturnType<typeof placeOf>;
  },
): void {
  const { required, part } = change;
  const narrowed = required === (pair.sent === "request");
  addChange(pair, {
    kind: required ? "parameter-became-required" : "parameter-became-optional",
    level: narrowed ? "breaking" : "safe",
    direction: pair.sent,
    part,
    message: narrowed
      ? required
        ? `The ${part} is now required: requests without it are refused.`
        : `The ${part} is now optional: receivers may miss it.`
      : `The ${part} is now ${required ? "required" : "optional"}.`,
    before: required ? "optional" : "required",
    after: required ? "required" : "optional",
    base: change.base,
    head: change.head,
  });
}

export function labelOf({ in: place, name }: Parameter): string {
  return `${place} parameter "${name}"`;
}

function leastItems({ schema }: Parameter): number {
  return Math.max(0, ...schema.map(({ value }) => ownNumber(value, "minItems") ?? 0));
}

function isExplodedForm({ style, explode, mediaType }: Parameter): boolean {
  return style === "form" && explode && mediaType === undefined;
}

/**
 * An object in an exploded form is written as one parameter for each property. It is taken apart where the other side has these.
 */
function explodedLike(side: Operation, other: Operation): Parameter[] {
  const names = new Set(other.parameters.filter((each) => each.in === "query").map(({ name }) => name));
  return side.parameters.flatMap((parameter) => {
    if (parameter.in !== "query" || !isExplodedForm(parameter) || names.has(parameter.name))
      return [parameter];
    const parts = partsOf(parameter);
    return parts.some(({ name }) => names.has(name)) ? parts : [parameter];
  });
}

function partsOf(parameter: Parameter): Parameter[] {
  const [node] = parameter.schema;
  if (parameter.schema.length !== 1 || node?.owner === undefined || !isObject(node.value)) return [];
  const { owner } = node;
  const at = { value: node.value, file: node.file, pointer: node.pointer };
  const required = node.value["required"];
  const properties = owner.child(at, "properties");
  if (properties === undefined || !isObject(properties.value)) return [];
  return Object.keys(properties.value).map((name) => ({
    ...parameter,
    name,
    required: parameter.required && Array.isArray(required) && required.includes(name),
    schema: owner.schema(properties, name),
    at: owner.child(properties, name) ?? at,
  }));
}
