/** Of a text that a document wrote: what Postgres can store, at most so many UTF-16 units of it. */
export function storable(text: string, max = 2_000): string {
  return text.slice(0, max).toWellFormed().replaceAll("\0", "\uFFFD");
}
