/** Where the finding that was shown last is in a list. */
export interface LastShown {
  /** The index of its row; -1 if it is in the list no more. */
  index: number;
  /** The last index that its row had; null if the list never had it. */
  place: number | null;
}

/** Returns the index after or before the finding that was shown last. One that left the list, as an open one that was decided, has the next one in its place. */
export function nextInList({ index, place }: LastShown, by: 1 | -1): number {
  if (index !== -1) return index + by;
  if (place === null) return 0;
  return by === 1 ? place : place - 1;
}

/** Returns the index of the row that has the place of the finding that was shown last; -1 if there is none. */
export function rowInPlace({ index, place }: LastShown, rowCount: number): number {
  if (index !== -1) return index;
  return place === null ? -1 : Math.min(place, rowCount - 1);
}
