/** The memory that a lint worker shares with its parent, which reads in it the state of a worker that can't answer. */
const RULE = 0;
const PATTERN = 1;
const MATCHES = 2;
export const WATCH_BYTES = 12;

/** The state of a worker. Rules and patterns are numbers that `named` messages explain; 0 is none. */
export interface Watched {
  rule: number;
  pattern: number;
  /** Counts the texts that patterns were tested on. */
  matches: number;
}

export function readWatch(memory: SharedArrayBuffer): Watched {
  const numbers = new Int32Array(memory);
  return {
    rule: Atomics.load(numbers, RULE),
    pattern: Atomics.load(numbers, PATTERN),
    matches: Atomics.load(numbers, MATCHES),
  };
}

/** Records the rule and the pattern that a worker runs. */
export interface Watch {
  /** Calls a function of a rule. */
  inRule: <T>(name: string, call: () => T) => T;
  /** Replaces `RegExp`, so that each use of a pattern that is made from now on is seen. Literals of the code are not. */
  watchPatterns: () => void;
}

export function createWatch(
  memory: SharedArrayBuffer,
  onName: (named: { index: number; text: string }) => void,
): Watch {
  const numbers = new Int32Array(memory);
  const indexes = new Map<string, number>();
  const indexOf = (text: string): number => {
    const known = indexes.get(text);
    if (known !== undefined) return known;
    const index = indexes.size + 1;
    indexes.set(text, index);
    onName({ index, text });
    return index;
  };
  const during = <T>(field: number, index: number, call: () => T): T => {
    const before = Atomics.exchange(numbers, field, index);
    try {
      return call();
    } finally {
      Atomics.store(numbers, field, before);
    }
  };
  return {
    inRule: (name, call) => during(RULE, indexOf(name), call),
    watchPatterns: () => {
      class WatchedRegExp extends RegExp {
        readonly #index: number;

        constructor(pattern: string | RegExp, flags?: string) {
          super(pattern, flags);
          this.#index = indexOf(typeof pattern === "string" ? pattern : pattern.source);
        }

        override exec(text: string): RegExpExecArray | null {
          Atomics.add(numbers, MATCHES, 1);
          return during(PATTERN, this.#index, () => super.exec(text));
        }
      }
      globalThis.RegExp = new Proxy(RegExp, {
        construct: (_target, [pattern, flags]) => new WatchedRegExp(pattern, flags),
        apply: (_target, _this, [pattern, flags]) => new WatchedRegExp(pattern, flags),
      });
    },
  };
}
