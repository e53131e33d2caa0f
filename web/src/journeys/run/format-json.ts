const INDENT = "  ";

/**
 * Returns a JSON text with line breaks and indents; undefined for another text. Only white space is changed: numbers keep their
 * digits, and members their order, also repeated ones.
 */
export function formatJson(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  let depth = 0;
  const lineBreak = () => `\n${INDENT.repeat(depth)}`;
  return (text.match(TOKENS) ?? [])
    .map((token) => {
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
    })
    .join("");
}

/** Strings, empty objects and lists, punctuation, and everything else that is no white space. */
const TOKENS = /"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[{}[\],:]|[^\s{}[\],:"]+/g;
const EMPTY = /^(?:\{\s*\}|\[\s*\])$/;
