import { printable } from "../lib/text.ts";

/** Items of one kind in a summary, which may have 1 MB. */
const ITEMS_MAX = 50;

/** One block of Markdown, or none. Items beyond fifty are counted. */
export function markdownList(items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const shown = items.slice(0, ITEMS_MAX).map((item) => `- ${escapeMarkdown(item)}`);
  const more = items.length - shown.length;
  return [[...shown, ...(more > 0 ? [`- … and ${more} more`] : [])].join("\n")];
}

/**
 * Returns the text in one line, without markup, HTML, references to users and issues, and addresses that become links.
 */
export function escapeMarkdown(text: string): string {
  return printable(text, 300).replaceAll(/[\\`*_{}[\]<>|#~!&()@:$%^]/g, String.raw`\$&`);
}
