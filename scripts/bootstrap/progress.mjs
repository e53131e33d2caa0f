/**
 * Prints on standard error which step is under way, and how long it took.
 *
 * @template T
 * @param {string} title
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(title, work) {
  const startedAt = Date.now();
  process.stderr.write(`  ${title} … `);
  const result = await work();
  process.stderr.write(`${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
  return result;
}
