/**
 * Checks keys in turn, `concurrency` at a time, and returns how many milliseconds it took.
 *
 * @throws Error when a key is refused
 */
export async function checkKeys(
  { keys, concurrency, count }: { keys: readonly string[]; concurrency: number; count: number },
  check: (key: string) => Promise<boolean>,
): Promise<number> {
  let next = 0;
  const start = performance.now();
  const runner = async () => {
    for (let n = next++; n < count; n = next++) {
      const key = keys[n % keys.length];
      if (key === undefined || !(await check(key))) throw new Error("a key was refused");
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runner));
  return performance.now() - start;
}
