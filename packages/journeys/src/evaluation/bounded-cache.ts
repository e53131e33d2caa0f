/** Caches values by key. At the limit, the oldest entry is removed, regardless of its use. */
export function boundedCache<T>(max: number, create: (key: string) => T): (key: string) => T {
  const entries = new Map<string, T>();
  return (key) => {
    let entry = entries.get(key);
    if (entry === undefined) {
      entry = create(key);
      if (entries.size >= max) entries.delete(entries.keys().next().value ?? "");
      entries.set(key, entry);
    }
    return entry;
  };
}
