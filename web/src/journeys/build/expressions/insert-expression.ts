/** A part of a text. */
export interface Range {
  from: number;
  to: number;
}

/**
 * Writes an expression in the place of a selection, or at the cursor. Quotes around the selection go with it, because an expression in
 * them would be a text, and words beside it are kept apart.
 */
export function insertExpression(
  text: string,
  { from, to }: Range,
  expression: string,
): { text: string; caret: number } {
  const isQuoted = text[from - 1] === "'" && text[to] === "'";
  let before = text.slice(0, isQuoted ? from - 1 : from);
  let after = text.slice(isQuoted ? to + 1 : to);
  if (/[^\s(!]$/.test(before)) before += " ";
  if (/^[^\s)]/.test(after)) after = ` ${after}`;
  return { text: before + expression + after, caret: before.length + expression.length };
}
