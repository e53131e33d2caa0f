export interface LineStream {
  write(text: string): unknown;
}

/** More is written at once, in whichever turn. */
const CHARACTERS_HELD_MAX = 64 * 1024;

/**
 * Hands lines on together at the end of the event loop's turn in which they came: a call of the system costs as much
 * for one as for ten. `flushSync` hands on what is held now; call it when the process ends.
 */
export function createTickBufferedWriter(stream: LineStream): LineStream & { flushSync: () => void } {
  let held = "";
  const flushSync = () => {
    const text = held;
    held = "";
    if (text !== "") stream.write(text);
  };
  return {
    write(line) {
      if (held === "") setImmediate(flushSync);
      held += line;
      if (held.length > CHARACTERS_HELD_MAX) flushSync();
    },
    flushSync,
  };
}
