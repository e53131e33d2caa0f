import { z } from "zod";

interface Bounds {
  min: number;
  max: number;
}

/**
 * A whole number in a query or a path: decimal digits and nothing else, so that `0x1`, `1e1`, ` 1` and an empty text are
 * refused. It is published as an integer.
 */
export function wholeNumber({ min, max }: Bounds) {
  return z
    .string()
    .refine((value) => isWithin(value, { min, max }), `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .meta({ type: "integer", minimum: min, maximum: max });
}

/** A `wholeNumber` that may be absent, with its published default. */
export function optionalWholeNumber(bounds: Bounds & { default: number }) {
  return wholeNumber(bounds)
    .default(bounds.default)
    .meta({ [PUBLISHED_DEFAULT]: bounds.default });
}

/** The published default of a field that is transformed: zod leaves out `default` there. The api renames it. */
export const PUBLISHED_DEFAULT = "x-default";

const DIGITS = /^(?:0|-?[1-9][0-9]{0,14})$/;

function isWithin(value: string, { min, max }: Bounds): boolean {
  return DIGITS.test(value) && Number(value) >= min && Number(value) <= max;
}

/** A `flag` that is false if it is absent. */
export function optionalFlag() {
  return flag()
    .default(false)
    .meta({ [PUBLISHED_DEFAULT]: false });
}

/** `true` or `false` in a query. It is published as a boolean. */
export function flag() {
  return z
    .string()
    .refine((value) => value === "true" || value === "false", "must be true or false")
    .transform((value) => value === "true")
    .meta({ type: "boolean" });
}
