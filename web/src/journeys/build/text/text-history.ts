/** Replaces `removed` at an offset of the text (UTF-16) by `inserted`. */
export interface TextChange {
  at: number;
  removed: string;
  inserted: string;
}

/** A text with what undoes and redoes its changes. Every view of a journey reads and changes this one text. */
export interface TextHistory {
  text: string;
  past: readonly TextChange[];
  future: readonly TextChange[];
  /** The next character that is typed may join the last change. */
  isTyping: boolean;
}

const CHANGES_MAX = 1_000;

export function historyOf(text: string): TextHistory {
  return { text, past: [], future: [], isTyping: false };
}

/** The one change that makes `after` of `before`; undefined if they are equal. */
export function changeBetween(before: string, after: string): TextChange | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let same = 0;
  while (same < shorter - start && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return {
    at: start,
    removed: before.slice(start, before.length - same),
    inserted: after.slice(start, after.length - same),
  };
}

/** Characters that are typed one after another become one change, up to the end of a line. */
export function withTyped(history: TextHistory, change: TextChange): TextHistory {
  const last = history.isTyping ? history.past.at(-1) : undefined;
  const joined = last === undefined ? undefined : join(last, change);
  const past = joined === undefined ? [...history.past, change] : [...history.past.slice(0, -1), joined];
  const isTyping = !`${change.inserted}${change.removed}`.includes("\n");
  return { text: applied(history.text, change), past: past.slice(-CHANGES_MAX), future: [], isTyping };
}

/** A change of its own, such as an edit in the visual view. */
export function withText(history: TextHistory, text: string): TextHistory {
  const change = changeBetween(history.text, text);
  if (change === undefined) return history;
  return { text, past: [...history.past, change].slice(-CHANGES_MAX), future: [], isTyping: false };
}

export function undone(history: TextHistory): TextHistory {
  const change = history.past.at(-1);
  if (change === undefined) return history;
  const { at, removed, inserted } = change;
  return {
    text: applied(history.text, { at, removed: inserted, inserted: removed }),
    past: history.past.slice(0, -1),
    future: [...history.future, change],
    isTyping: false,
  };
}

export function redone(history: TextHistory): TextHistory {
  const change = history.future.at(-1);
  if (change === undefined) return history;
  return {
    text: applied(history.text, change),
    past: [...history.past, change],
    future: history.future.slice(0, -1),
    isTyping: false,
  };
}

function applied(text: string, { at, removed, inserted }: TextChange): string {
  return text.slice(0, at) + inserted + text.slice(at + removed.length);
}

function join(last: TextChange, next: TextChange): TextChange | undefined {
  const { at, removed, inserted } = last;
  if (removed === "" && next.removed === "" && next.at === at + inserted.length)
    return { at, removed, inserted: inserted + next.inserted };
  if (inserted === "" && next.inserted === "" && next.at + next.removed.length === at)
    return { at: next.at, removed: next.removed + removed, inserted };
  return undefined;
}
