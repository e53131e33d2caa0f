/** Replaces the characters from `start` to `end` (exclusive; UTF-16 offsets into the text before any patch). */
export interface TextPatch {
  start: number;
  end: number;
  text: string;
}

/** Applies patches that don't overlap; their order doesn't matter. */
export function applyPatches(text: string, patches: readonly TextPatch[]): string {
  let result = "";
  let from = 0;
  for (const patch of patches.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    result += text.slice(from, patch.start) + patch.text;
    from = patch.end;
  }
  return result + text.slice(from);
}
