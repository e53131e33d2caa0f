export interface LineStream {
  write(text: string): unknown;
}

/** A larger buffer is written immediately. */
const CHARACTERS_HELD_MAX = 64 * 1024;

/**
 * Buffers lines until the end of the event loop's tick and writes them together: a system call for ten lines costs as much
 * as for one. `flushSync` writes the buffered lines now; call it when the process ends.
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
