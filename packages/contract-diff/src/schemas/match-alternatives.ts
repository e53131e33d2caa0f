import { isObject, ownString } from "@waymark/openapi/json.ts";
import type { Shape } from "./shape.ts";

export interface MatchedShapes {
  old: Shape;
  next: Shape;
}

interface Unmatched {
  before: readonly Shape[];
  after: readonly Shape[];
  /** Those of `before` that no alternative of `after` covers. */
  gone: readonly Shape[];
  come: readonly Shape[];
  covers: (inner: Shape, outer: Shape) => boolean;
}

/** Pairs alternatives by a component that no other alternative of their side has: the first one, before those that it extends. */
export function matchNamed(before: readonly Shape[], after: readonly Shape[]): MatchedShapes[] {
  const news = new Map([...ownComponents(after)].map(([shape, name]) => [name, shape]));
  return [...ownComponents(before)].flatMap(([old, name]) => {
    const next = news.get(name);
    return next === undefined ? [] : [{ old, next }];
  });
}

function ownComponents(shapes: readonly Shape[]): Map<Shape, string> {
  const namesOfShape = ({ origin }: Shape) => origin.flatMap(({ name }) => name ?? []);
  const common = shared(shapes.flatMap((shape) => [...new Set(namesOfShape(shape))]));
  const own = new Map<Shape, string>();
  for (const shape of shapes) {
    const name = namesOfShape(shape).find((each) => !common.has(each));
    if (name !== undefined) own.set(shape, name);
  }
  return own;
}

/** Pairs changed alternatives: by the name of the component, then by the title, by fixed values, and by common properties. */
export function matchAlternatives({ before, after, gone, come, covers }: Unmatched): MatchedShapes[] {
  const pairs: MatchedShapes[] = [];
  const freeOld = new Set(before);
  const freeNew = new Set(after);
  const take = (old: Shape, next: Shape) => {
    freeOld.delete(old);
    freeNew.delete(next);
    if (gone.includes(old) || come.includes(next)) pairs.push({ old, next });
  };
  for (const label of [componentOf, titleOf, tagOf]) {
    const common = [shared(before.map(label)), shared(after.map(label))];
    for (const old of Array.from(freeOld)) {
      const wanted = label(old);
      if (wanted === undefined || common.some((set) => set.has(wanted))) continue;
      const next = [...freeNew].find((shape) => label(shape) === wanted);
      if (next !== undefined) take(old, next);
    }
  }
  for (const old of gone) {
    if (!freeOld.has(old)) continue;
    const best = closest(
      old,
      come.filter((shape) => freeNew.has(shape)),
    );
    const inside = best ?? [...freeNew].find((shape) => covers(shape, old));
    if (inside !== undefined) take(old, inside);
  }
  for (const next of come) {
    const inside = freeNew.has(next) ? [...freeOld].find((shape) => covers(shape, next)) : undefined;
    if (inside !== undefined) take(inside, next);
  }
  return pairs;
}

/** Labels that more than one alternative has tell none apart. */
function shared(labels: readonly (string | undefined)[]): Set<string> {
  const [once, found] = [new Set<string>(), new Set<string>()];
  for (const label of labels) {
    if (label !== undefined && once.has(label)) found.add(label);
    else if (label !== undefined) once.add(label);
  }
  return found;
}

function componentOf({ origin }: Shape): string | undefined {
  return origin.findLast(({ name }) => name !== undefined)?.name;
}

function titleOf({ origin }: Shape): string | undefined {
  return origin.map(({ value }) => ownString(value, "title")).findLast((title) => title !== undefined);
}

/** A property with one fixed value tells the kind of an object. */
function tagOf({ rules }: Shape): string | undefined {
  for (const { properties } of rules) {
    for (const [name, [node]] of properties) {
      if (node === undefined || !isObject(node.value)) continue;
      const fixed = node.value["const"] ?? singleOf(node.value["enum"]);
      if (fixed !== undefined) return `${name}=${JSON.stringify(fixed)}`;
    }
  }
  return undefined;
}

function singleOf(values: unknown): unknown {
  return Array.isArray(values) && values.length === 1 ? values[0] : undefined;
}

/** The alternative with the most property names in common; of the others, the first. Different named components don't match. */
function closest(old: Shape, candidates: readonly Shape[]): Shape | undefined {
  const names = namesOf(old);
  const scored = candidates
    .filter((shape) => componentOf(shape) === undefined || componentOf(old) === undefined)
    .filter((shape) => !namesKinds(old, shape))
    .map((shape) => ({ shape, score: [...namesOf(shape)].filter((name) => names.has(name)).length }));
  return scored.toSorted((a, b) => b.score - a.score)[0]?.shape;
}

/** True for alternatives that say that they are of different kinds. */
function namesKinds(a: Shape, b: Shape): boolean {
  const [left, right] = [tagOf(a), tagOf(b)];
  return (
    left !== undefined && right !== undefined && left.split("=")[0] === right.split("=")[0] && left !== right
  );
}

function namesOf({ rules }: Shape): Set<string> {
  return new Set(rules.flatMap(({ properties }) => [...properties.keys()]));
}
