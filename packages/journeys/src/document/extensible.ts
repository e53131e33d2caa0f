import { z } from "zod";
import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";

/** Objects listed here get `patternProperties: {"^x-": …}` in the published schema. */
export const extensibleObjects = new WeakSet<z.core.$ZodType>();

/**
 * An object of the specification: its fixed fields, any field that begins with `x-`, and nothing else.
 * Unknown fields are reported together with every other fault of the object.
 */
export function extensible<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape> {
  const noUnknownField = z.check(({ value, issues }) => {
    if (!isObject(value)) return;
    const keys = Object.keys(value).filter((key) => !key.startsWith("x-") && !Object.hasOwn(shape, key));
    if (keys.length > 0) issues.push({ code: "unrecognized_keys", keys, input: value });
  });
  // Without this, zod skips the check if another field is wrong, and authors would see one fault at a time.
  noUnknownField._zod.def.when = ({ value }) => isObject(value);
  const schema = z.looseObject(shape).check(noUnknownField);
  extensibleObjects.add(schema);
  // Members that begin with x- are kept, but are not part of the type: nothing here reads them.
  return schema;
}

/** Any JSON value. Not checked again, because parsing allows only JSON. */
export const Json = z.custom<JsonValue>((value) => value !== undefined);
export const JsonRecord = z.custom<JsonObject>(isObject, "must be an object");
