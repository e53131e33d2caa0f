/** Finds many texts at once in one pass. */
export interface TextIndex {
  /** Where the text is found, so many characters are meant; by default, those that it has. */
  add: (wanted: string, length?: number) => void;
  /** All matches as `[from, to)`, including overlapping ones. */
  find: (text: string) => [from: number, to: number][];
  /** The index where the beginning of a wanted text starts that continues after `end`; undefined if there is none. */
  beginning: (text: string, end: number) => number | undefined;
  /** The most characters that are compared. */
  longest: () => number;
}

/** The minimum length of a wanted text; this many first characters are its key. */
const KEY_LENGTH = 4;
const TABLE_SIZE = 4096;
/**
 * So many characters are compared; what begins like a longer text is taken for all of it. A text such as a million times the same
 * character would otherwise be compared with itself at each of its positions.
 */
const COMPARED_MAX = 256;

interface Wanted {
  beginning: string;
  length: number;
}

/**
 * An index of wanted texts, which can be added at any time. Its cost depends on the searched text, and hardly on their number.
 */
export function createTextIndex(): TextIndex {
  const wantedByKey = new Map<string, Wanted[]>();
  /** Whether a key with this hash exists, which excludes nearly all positions of a text. */
  let hashes: Uint8Array | undefined;
  let longest = 0;

  const candidates = (text: string, at: number): readonly Wanted[] | undefined =>
    hashes?.[hashAt(text, at)] === 1 ? wantedByKey.get(text.slice(at, at + KEY_LENGTH)) : undefined;

  return {
    add: (wanted, length = wanted.length) => {
      if (wanted.length < KEY_LENGTH) return;
      const key = wanted.slice(0, KEY_LENGTH);
      const beginning = wanted.slice(0, COMPARED_MAX);
      const list = wantedByKey.get(key) ?? [];
      if (list.some((one) => one.beginning === beginning && one.length >= length)) return;
      // The longest first: it is used if several match.
      wantedByKey.set(
        key,
        [...list, { beginning, length }].toSorted((a, b) => b.length - a.length),
      );
      hashes ??= new Uint8Array(TABLE_SIZE);
      hashes[hashAt(wanted, 0)] = 1;
      longest = Math.max(longest, beginning.length);
    },
    find: (text) => {
      const found: [number, number][] = [];
      for (let at = 0; at <= text.length - KEY_LENGTH; at++) {
        const wanted = candidates(text, at)?.find(({ beginning }) => text.startsWith(beginning, at));
        if (wanted === undefined) continue;
        const to = Math.min(text.length, at + wanted.length);
        found.push([at, to]);
        if (to === text.length) break;
      }
      return found;
    },
    beginning: (text, end) => {
      for (let at = Math.max(0, end - longest); at <= end - KEY_LENGTH; at++) {
        const there = text.slice(at, end);
        if (candidates(text, at)?.some(({ beginning }) => beginning.startsWith(there)) === true) return at;
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
