/**
 * Makes text of foreign origin (a server's answer, a spec) fit for a terminal: without control characters, which
 * could otherwise move the cursor or forge lines, and at most `max` characters long.
 */
export function printable(text: string, max = 1000): string {
  // C0 without tab, DEL, C1, and the bidirectional overrides.
  const clean = text.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g, " ");
  return clean.length > max ? `${clean.slice(0, max)}…` : clean;
}

/** `1 operation`, `2 operations`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
