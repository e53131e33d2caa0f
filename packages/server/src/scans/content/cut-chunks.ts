/** The minimum number of items of every chunk but the last. */
export const CHUNK_ITEMS_MIN = 4;
export const CHUNK_ITEMS_MAX = 32;
/** On average, one of this many items may end a chunk. */
const BOUNDARY_EVERY = 4;

/**
 * Content-defined chunking: a chunk ends at an item whose identity hashes to a multiple of 4. If an item is inserted,
 * removed or changed, the chunks before it stay the same, and so do those after the next one or two boundaries.
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
