/** Every chunk but the last has at least so many items. */
export const CHUNK_ITEMS_MIN = 4;
export const CHUNK_ITEMS_MAX = 32;
/** One item in so many may end a chunk. */
const BOUNDARY_EVERY = 4;

/**
 * Cuts a list where its content says so: a chunk ends at an item whose identity hashes to a multiple of 4. An item that is
 * inserted, removed or changed leaves the chunks before it as they are, and those after the next boundary or two.
 */
export function cutChunks<Item extends { identityHash: number }>(items: readonly Item[]): Item[][] {
  const chunks: Item[][] = [];
  let chunk: Item[] = [];
  for (const item of items) {
    chunk.push(item);
    const mayEnd = chunk.length >= CHUNK_ITEMS_MIN && item.identityHash % BOUNDARY_EVERY === 0;
    if (!mayEnd && chunk.length < CHUNK_ITEMS_MAX) continue;
    chunks.push(chunk);
    chunk = [];
  }
  if (chunk.length > 0) chunks.push(chunk);
  return chunks;
}
