import { Composer, type CST, type Document, Lexer, type LineCounter, Parser } from "yaml";

export interface YamlLimits {
  /** Lexical tokens of the text. */
  tokens: number;
  /** Collections inside each other. */
  depth: number;
}

/** The YAML text has more tokens, or is nested deeper, than the limits allow. */
export class YamlLimitError extends Error {
  readonly limit: keyof YamlLimits;

  constructor(limit: keyof YamlLimits, options?: ErrorOptions) {
    super(`The YAML text exceeds the limit of its ${limit}.`, options);
    this.limit = limit;
  }
}

export interface ComposeOptions {
  limits: YamlLimits;
  /** Learns where the lines begin. */
  lines: LineCounter;
  /** Options of the composer. Comparing keys with each other is always off, because it takes quadratic time. */
  composer: ConstructorParameters<typeof Composer>[0];
}

/**
 * The syntax trees of the first two documents of a text: callers read one, and must know whether there is a second.
 *
 * @throws {YamlLimitError} before the memory is used
 */
export function composeYaml(
  text: string,
  { limits, lines, composer: options }: ComposeOptions,
): Document.Parsed[] {
  const composer = new Composer({ ...options, uniqueKeys: false });
  const found: Document.Parsed[] = [];
  try {
    for (const document of composer.compose(tokens(text, limits, lines), true, text.length)) {
      found.push(document);
      if (found.length === 2) break;
    }
  } catch (error) {
    if (error instanceof RangeError) throw new YamlLimitError("depth", { cause: error });
    throw error;
  }
  return found;
}

/** The parser is driven token by token, because the composer recurses: the depth must be known before it starts. */
function* tokens(text: string, limits: YamlLimits, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (++count > limits.tokens) throw new YamlLimitError("tokens");
    yield* parser.next(lexeme);
    if (parser.stack.length > limits.depth) throw new YamlLimitError("depth");
  }
  yield* parser.end();
}
