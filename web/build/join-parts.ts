/** Modules that exactly the same pages load, which are in one file in any case. */
export interface Part<Page> {
  modules: string[];
  /** Bytes that a browser loads. */
  size: number;
  /** The pages that load it, and how much a visit of each counts. */
  pages: ReadonlyMap<Page, number>;
  /** The parts that it imports. */
  imports: Set<Part<Page>>;
}

/**
 * Joins parts into files, as long as that saves something: a page has a file less, and loads what it does not need with the one that it
 * has. Begins where most is saved. Files that import each other in a circle would run in a wrong order, so none are made.
 *
 * @param fileCost how many bytes a page may load in vain to have one file less
 */
export function joinParts<Page>(parts: readonly Part<Page>[], fileCost: number): Part<Page>[] {
  let left = [...parts];
  for (;;) {
    const best = bestPair(left, fileCost);
    if (best === undefined) return left;
    const joined = join(...best);
    left = [...left.filter((part) => !best.includes(part)), joined];
    for (const { imports } of left) {
      const isImported = best.filter((part) => imports.delete(part)).length > 0;
      if (isImported) imports.add(joined);
    }
    joined.imports.delete(joined);
  }
}

type Pair<Page> = [Part<Page>, Part<Page>];

function bestPair<Page>(parts: readonly Part<Page>[], fileCost: number): Pair<Page> | undefined {
  let best: Pair<Page> | undefined;
  let most = 0;
  for (const [index, one] of parts.entries()) {
    for (const other of parts.slice(index + 1)) {
      const saved = savedBytes(one, other, fileCost);
      if (saved <= most || isBetween(one, other) || isBetween(other, one)) continue;
      most = saved;
      best = [one, other];
    }
  }
  return best;
}

function savedBytes<Page>(one: Part<Page>, other: Part<Page>, fileCost: number): number {
  let saved = 0;
  for (const [page, weight] of one.pages) saved += weight * (other.pages.has(page) ? fileCost : -other.size);
  for (const [page, weight] of other.pages) saved -= one.pages.has(page) ? 0 : weight * one.size;
  return saved;
}

/** Whether `from` reaches `to` through another part: joined, the two would import that part, and it them. */
function isBetween<Page>(from: Part<Page>, to: Part<Page>): boolean {
  const reached = new Set([...from.imports].filter((part) => part !== to));
  for (const part of reached) {
    if (part.imports.has(to)) return true;
    for (const imported of part.imports) reached.add(imported);
  }
  return false;
}

function join<Page>(one: Part<Page>, other: Part<Page>): Part<Page> {
  return {
    modules: [...one.modules, ...other.modules],
    size: one.size + other.size,
    pages: new Map([...one.pages, ...other.pages]),
    imports: new Set([...one.imports, ...other.imports]),
  };
}
