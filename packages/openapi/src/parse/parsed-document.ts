import type { DuplicateKey } from "./duplicate-keys.ts";

/** A parsed document, with facts about its text that its value doesn't have. */
export interface ParsedDocument {
  value: unknown;
  /** The language of the text. A flow mapping of YAML that starts like JSON is YAML. */
  format: "json" | "yaml";
  /** The keys that occur more than once in their object, at most `DUPLICATES_MAX`: the last one is used. */
  duplicateKeys: readonly DuplicateKey[];
  /**
   * Returns the original text of a number or another scalar in an object or a list of the value: YAML reads an unquoted
   * `version: 1.0` as the number 1. Undefined if there is no such scalar, or if its text equals the value's.
   */
  sourceText: (container: object, key: string | number) => Promise<string | undefined>;
  /** Returns the line of the deepest member on a path that the text has, counted from 1. */
  lineOf: (path: readonly string[]) => Promise<number>;
}

/** The text is neither JSON nor YAML, or exceeds a limit; the message has the position. */
export class DocumentError extends Error {}
