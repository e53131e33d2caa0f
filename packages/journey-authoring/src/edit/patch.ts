import type { EditOf, TextChange } from "./command.ts";
import { EditRefused } from "./refusal.ts";

/** Replaces the characters from `start` to `end` (exclusive; UTF-16 offsets into the text before any patch). */
export interface TextPatch {
  start: number;
  end: number;
  text: string;
}

function inOrder(patches: readonly TextPatch[]): TextPatch[] {
  return patches.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

/** Applies patches that don't overlap; their order doesn't matter. */
export function applyPatches(text: string, patches: readonly TextPatch[]): string {
  let result = "";
  let from = 0;
  for (const patch of inOrder(patches)) {
    result += text.slice(from, patch.start) + patch.text;
    from = patch.end;
  }
  return result + text.slice(from);
}

/** The command that restores the text before the patches, byte for byte, if applied to the edited text. */
export function inverseOf(
  text: string,
  patches: readonly TextPatch[],
  edited: string,
): EditOf<"patchText">[] {
  let shift = 0;
  const changes: TextChange[] = [];
  for (const { start, end, text: insert } of inOrder(patches)) {
    const removed = text.slice(start, end);
    if (removed !== insert) changes.push({ at: start + shift, remove: insert, insert: removed });
    shift += insert.length - removed.length;
  }
  return changes.length === 0 ? [] : [{ op: "patchText", of: fingerprint(edited), changes }];
}

/** Distinguishes texts (FNV-1a, 32 bits, and the length). Not secure against deliberate collisions. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `${text.length}-${(hash >>> 0).toString(16)}`;
}

/** @throws EditRefused if the changes were made for another text. */
export function patchesFrom(text: string, { of, changes }: EditOf<"patchText">): TextPatch[] {
  const stale = "The text isn't the one that this change was made for: it was edited since.";
  if (of !== fingerprint(text)) throw new EditRefused(stale);
  let from = 0;
  return changes.map(({ at, remove, insert }) => {
    if (at < from || !text.startsWith(remove, at)) throw new EditRefused(stale);
    from = at + remove.length;
    return { start: at, end: from, text: insert };
  });
}
