/** What a document may cost at most; beyond it parsing stops with a problem, before the memory is used. */
export interface ParseLimits {
  /** UTF-16 code units of the text. */
  chars: number;
  /** Lexical tokens of the text. */
  tokens: number;
  /** Nesting of collections. */
  depth: number;
  /** Values after every alias is expanded: the size of the tree that the rest of the program walks. */
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
