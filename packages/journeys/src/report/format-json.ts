const INDENT = "  ";
/** The deepest nesting that is indented: 16,000 brackets would have 512 MB of indents. */
const DEPTH_MAX = 200;

/**
 * Returns a JSON text with line breaks and indents; undefined for another text, and for one that is nested very deeply. Only white
 * space is changed: numbers keep their digits, and members their order, also repeated ones.
 */
export function formatJson(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  let depth = 0;
  const lineBreak = () => `\n${INDENT.repeat(depth)}`;
  const written = (token: string) => {
    if (EMPTY.test(token)) return `${token[0]}${token.at(-1)}`;
    if (token === "{" || token === "[") {
      depth += 1;
      return token + lineBreak();
    }
    if (token === "}" || token === "]") {
      depth -= 1;
      return lineBreak() + token;
    }
    if (token === ",") return token + lineBreak();
    return token === ":" ? ": " : token;
  };
  let formatted = "";
  for (const token of text.match(TOKENS) ?? []) {
    formatted += written(token);
    if (depth > DEPTH_MAX) return undefined;
  }
  return formatted;
}

/** Strings, empty objects and lists, punctuation, and everything else that is no white space. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|\{\s*\}|\[\s*\]|[{}[\],:]|[^\s{}[\],:"]+/g;
const EMPTY = /^(?:\{\s*\}|\[\s*\])$/;
