/** Returns a document's text as Postgres can store it, cut to at most `max` UTF-16 units. */
export function storable(text: string, max = 2_000): string {
  return text.slice(0, max).toWellFormed().replaceAll("\0", "\uFFFD");
}
