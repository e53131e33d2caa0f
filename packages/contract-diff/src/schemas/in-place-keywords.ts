/** The keywords that refer to a schema for the same value. */
export const REFERENCES = ["$ref", "$dynamicRef"] as const;

/** The keywords that list alternatives for the same value. */
export const ALTERNATIVES = ["anyOf", "oneOf"] as const;

/** The keywords whose schemas are for the same value as the one that has them: `expand` reads these. */
export const IN_PLACE: readonly string[] = [...REFERENCES, "allOf", ...ALTERNATIVES];
