/** A parsed document, with the original text of scalars if it differs from the value. */
export interface ParsedDocument {
  value: unknown;
  /**
   * The original text of a scalar: YAML reads an unquoted `version: 1.0` as the number 1. Undefined if there is no such scalar,
   * or if the format's text always equals the value.
   */
  sourceText: (path: readonly string[]) => string | undefined;
  /** The keys that occur more than once in a top-level member: the last one is used. */
  duplicateKeys: (member: string) => string[];
}

/** The text is neither JSON nor YAML, or exceeds a limit; the message has the position. */
export class DocumentError extends Error {}
