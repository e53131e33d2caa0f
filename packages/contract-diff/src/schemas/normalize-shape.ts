import { isObject, ownValue } from "@waymark/openapi/json.ts";
import type { SchemaContext } from "./context.ts";
import { acceptsShape } from "./accepts.ts";
import { canonicalText, type Shape, typeOf, type TypeName } from "./shape.ts";

/** Types whose values a list of values says completely. */
const SCALARS: readonly TypeName[] = ["null", "boolean", "number", "string"];

/** Returns the shape in one of the forms that equal sets share; undefined if no value is left. */
export function normalizeShape(context: SchemaContext, shape: Shape): Shape | undefined {
  const excluded = withoutExcluded(shape);
  const listed = listValues(context, excluded);
  const { values } = listed;
  if (values !== undefined) {
    const types = new Set([...values.values()].map(typeOf));
    return types.size === 0 ? undefined : { ...listed, types };
  }
  const bounded = listed.types.has("number") ? tightNumbers(listed) : listed;
  const types = new Set([...bounded.types].filter((type) => !isEmpty(bounded, type)));
  return types.size === 0 ? undefined : types.size === bounded.types.size ? bounded : { ...bounded, types };
}

/** Takes `not` of whole types and of listed values out of the shape. */
function withoutExcluded(shape: Shape): Shape {
  if (shape.not.length === 0) return shape;
  let { types, values } = shape;
  const not = shape.not.filter((conjunction) => {
    const [node] = conjunction;
    if (conjunction.length !== 1 || node === undefined) return true;
    if (node.value === true || (isObject(node.value) && Object.keys(node.value).length === 0)) {
      types = new Set();
      return false;
    }
    if (node.value === false) return false;
    const listed = excludedValues(node.value);
    if (listed !== undefined && values !== undefined) {
      values = new Map([...values].filter(([text]) => !listed.has(text)));
      return false;
    }
    const names = excludedTypes(node.value);
    if (names === undefined) return true;
    types = new Set([...types].filter((type) => !names.has(type)));
    return false;
  });
  return { ...shape, types, values, not };
}

function excludedTypes(value: unknown): ReadonlySet<string> | undefined {
  if (!isObject(value) || Object.keys(value).some((key) => key !== "type" && key !== "description"))
    return undefined;
  const type = ownValue(value, "type");
  const names = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === "string");
  return names.length === 0 || names.includes("integer") ? undefined : new Set(names);
}

function excludedValues(value: unknown): ReadonlySet<string> | undefined {
  if (!isObject(value)) return undefined;
  const listed = ownValue(value, "enum") ?? [ownValue(value, "const") ?? []].flat(0);
  const only = Object.keys(value).every((key) => ["enum", "const", "type", "description"].includes(key));
  return only && Array.isArray(listed) ? new Set(listed.map(canonicalText)) : undefined;
}

/** Applies the limits to the listed values, after which the limits say nothing more. Two values are all booleans. */
function listValues(context: SchemaContext, shape: Shape): Shape {
  const { values } = shape;
  if (values === undefined) return shape;
  // To most validators a format is an annotation: it takes no listed value away.
  const bare = { ...shape, values: undefined, formats: new Set<string>(), numberFormat: undefined };
  const left = [...values].filter(([, value]) => acceptsShape(context, bare, value) !== false);
  const types = new Set(left.map(([, value]) => typeOf(value)));
  const isWhole = left.length === 2 && types.size === 1 && types.has("boolean");
  if (isWhole || (left.length === 1 && types.has("null"))) return { ...bare, types };
  return { ...shape, values: new Map(left) };
}

function tightNumbers(shape: Shape): Shape {
  let { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = shape;
  if (shape.integer) {
    if (exclusiveMinimum !== undefined)
      minimum = Math.max(minimum ?? -Infinity, Math.floor(exclusiveMinimum) + 1);
    if (exclusiveMaximum !== undefined)
      maximum = Math.min(maximum ?? Infinity, Math.ceil(exclusiveMaximum) - 1);
    exclusiveMinimum = exclusiveMaximum = undefined;
    minimum = minimum === undefined ? undefined : Math.ceil(minimum);
    maximum = maximum === undefined ? undefined : Math.floor(maximum);
  } else {
    if (exclusiveMinimum !== undefined && minimum !== undefined) {
      if (minimum > exclusiveMinimum) exclusiveMinimum = undefined;
      else minimum = undefined;
    }
    if (exclusiveMaximum !== undefined && maximum !== undefined) {
      if (maximum < exclusiveMaximum) exclusiveMaximum = undefined;
      else maximum = undefined;
    }
  }
  const integer = shape.integer || shape.multipleOf.some((factor) => Number.isInteger(factor));
  const multipleOf = shape.multipleOf.filter((factor) => !(integer && factor === 1));
  return { ...shape, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, integer };
}

function isEmpty(shape: Shape, type: TypeName): boolean {
  switch (type) {
    case "number": {
      const low = shape.minimum ?? shape.exclusiveMinimum ?? -Infinity;
      return low > (shape.maximum ?? shape.exclusiveMaximum ?? Infinity);
    }
    case "string":
      return shape.minLength > (shape.maxLength ?? Infinity);
    case "array":
      return shape.minItems > (shape.maxItems ?? Infinity);
    case "object":
      return Math.max(shape.minProperties, shape.required.size) > (shape.maxProperties ?? Infinity);
    default:
      return false;
  }
}

/** True if a list of values says all about the type. */
export function isScalar(type: TypeName): boolean {
  return SCALARS.includes(type);
}
