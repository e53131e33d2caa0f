import { escapeControls } from "@waymark/shared/lib/printable.ts";

/** Foreign text (a server's response, a spec) for a message: control characters escaped, and at most `max` characters long. */
export function printable(text: string, max = 1000): string {
  // Cut before escaping, and not in the middle of a surrogate pair.
  const cut = text.length > max ? `${text.slice(0, max).replace(/[\ud800-\udbff]$/, "")}…` : text;
  return escapeControls(cut);
}

/** `1 operation`, `2 operations`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The text in at most `max` characters, of which the last is "…" if it was longer. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const characters = Array.from(text);
  return characters.length > max ? `${characters.slice(0, max - 1).join("")}…` : text;
}

/** The text as a scan may have it: well-formed, without NUL, and in at most `max` characters. */
export function fitText(text: string, max: number): string {
  return cutText(text.toWellFormed().replaceAll("\0", ""), max);
}

/** Returns a text as a printable sentence: with a full stop, if nothing else ends it. */
export function sentence(text: string): string {
  const shown = printable(text, 500);
  return /[.!?]$/.test(shown) ? shown : `${shown}.`;
}
