/** Finds many texts at once in one pass. */
export interface TextIndex {
  add: (wanted: string) => void;
  /** All places, `[from, to)`, overlapping ones included. */
  find: (text: string) => [from: number, to: number][];
  /** Where a text that ends at `end` begins to hold one of the wanted texts without its end; undefined where it does not. */
  beginning: (text: string, end: number) => number | undefined;
  /** Characters of the longest wanted text. */
  longest: () => number;
}

/** Every wanted text has at least so many characters: they are its key. */
const KEY_LENGTH = 4;
const TABLE_SIZE = 4096;

/** An index that wanted texts can be added to at any time. Its cost grows with the text that is searched, hardly with their number. */
export function createTextIndex(): TextIndex {
  const wantedByKey = new Map<string, string[]>();
  /** Whether a key with this hash exists: nearly all positions of a text are passed over by one look here. */
  let hashes: Uint8Array | undefined;
  let longest = 0;

  const candidates = (text: string, at: number): readonly string[] | undefined =>
    hashes?.[hashAt(text, at)] === 1 ? wantedByKey.get(text.slice(at, at + KEY_LENGTH)) : undefined;

  return {
    add: (wanted) => {
      if (wanted.length < KEY_LENGTH) return;
      const key = wanted.slice(0, KEY_LENGTH);
      const list = wantedByKey.get(key) ?? [];
      if (list.includes(wanted)) return;
      // The longest first: it is the one that is taken where several match.
      wantedByKey.set(
        key,
        [...list, wanted].toSorted((a, b) => b.length - a.length),
      );
      hashes ??= new Uint8Array(TABLE_SIZE);
      hashes[hashAt(wanted, 0)] = 1;
      longest = Math.max(longest, wanted.length);
    },
    find: (text) => {
      const found: [number, number][] = [];
      for (let at = 0; at <= text.length - KEY_LENGTH; at++) {
        const wanted = candidates(text, at)?.find((candidate) => text.startsWith(candidate, at));
        if (wanted !== undefined) found.push([at, at + wanted.length]);
      }
      return found;
    },
    beginning: (text, end) => {
      for (let at = Math.max(0, end - longest); at <= end - KEY_LENGTH; at++) {
        const there = text.slice(at, end);
        if (candidates(text, at)?.some((candidate) => candidate.startsWith(there)) === true) return at;
      }
      return undefined;
    },
    longest: () => longest,
  };
}

function hashAt(text: string, at: number): number {
  return (
    (text.charCodeAt(at) ^
      (text.charCodeAt(at + 1) << 3) ^
      (text.charCodeAt(at + 2) << 6) ^
      (text.charCodeAt(at + 3) << 2)) &
    (TABLE_SIZE - 1)
  );
}
