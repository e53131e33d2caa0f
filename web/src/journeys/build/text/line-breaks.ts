import type { TextChange } from "./text-history.ts";

/** Characters that an editor replaced, in the order of the text and without overlaps. Its line breaks are all \n. */
export interface EditorChange {
  from: number;
  to: number;
  insert: string;
}

/** The text as an editor holds it: each line break is one \n. */
export function editorText(text: string): string {
  return text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
}

/**
 * Converts an editor's changes into one change of the document's own text. Line breaks outside of the changes keep
 * their bytes; new ones are like the first of the document.
 */
export function ownChange(text: string, changes: readonly EditorChange[]): TextChange | undefined {
  const first = changes[0];
  const last = changes.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const newline = /\r\n|\n/.exec(text)?.[0] ?? "\n";
  const at = ownOffset(text, first.from);
  let end = at;
  let inserted = "";
  for (const { from, to, insert } of changes) {
    inserted += text.slice(end, ownOffset(text, from)) + insert.replaceAll("\n", newline);
    end = ownOffset(text, to);
  }
  return { at, removed: text.slice(at, end), inserted };
}

/** An offset of the editor's text as one of the document's own. */
export function ownOffset(text: string, offset: number): number {
  let pairs = 0;
  for (let at = text.indexOf("\r\n"); at !== -1 && at - pairs < offset; at = text.indexOf("\r\n", at + 2))
    pairs += 1;
  return offset + pairs;
}
