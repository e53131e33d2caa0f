/** The limits of a document. Beyond them, parsing stops with a problem before it uses the memory. */
export interface ParseLimits {
  /** UTF-16 code units of the text. */
  chars: number;
  /** Lexical tokens of the text. */
  tokens: number;
  /** Nesting of collections. */
  depth: number;
  /** Values after all aliases are expanded: the size of the tree that the program walks. */
  nodes: number;
  /** Problems reported for one document. */
  problems: number;
}

export const PARSE_LIMITS: ParseLimits = {
  chars: 4 * 1024 * 1024,
  tokens: 300_000,
  depth: 100,
  nodes: 100_000,
  problems: 500,
};
