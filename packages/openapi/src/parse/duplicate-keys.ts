/** A key that occurs more than once in its object. */
export interface DuplicateKey {
  /** The path of the member, its key included. */
  path: string[];
  /** The lines of its occurrences, the first of up to `LINES_MAX`, counted from 1. */
  lines: number[];
}

/** The limit of keys that are listed for one document, because a hostile one has as many as its text has room for. */
export const DUPLICATES_MAX = 1000;
/** The limit of lines that are listed for one key. */
export const LINES_MAX = 20;

interface Occurrence {
  offset: number;
  path: () => string[];
}

interface Found {
  path: string[];
  offsets: number[];
}

/** The keys of one object: the position of one that occurred once. */
export type KnownKeys = Map<string, number | Found>;

export interface Duplicates {
  found: Found[];
  add: (keys: KnownKeys, key: string, occurrence: Occurrence) => void;
}

/** Collects the keys that occur more than once in their object, at most `DUPLICATES_MAX`. */
export function collectDuplicates(): Duplicates {
  const found: Found[] = [];
  return {
    found,
    add: (keys, key, { offset, path }) => {
      const known = keys.get(key);
      if (known === undefined) keys.set(key, offset);
      else if (typeof known === "object") {
        if (known.offsets.length < LINES_MAX) known.offsets.push(offset);
      } else if (found.length < DUPLICATES_MAX) {
        const duplicate = { path: path(), offsets: [known, offset] };
        found.push(duplicate);
        keys.set(key, duplicate);
      }
    },
  };
}
