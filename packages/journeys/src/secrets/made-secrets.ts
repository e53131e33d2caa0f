import { createRedactor } from "./redact.ts";
import type { Redactor } from "./redact.ts";

/** The values that functions made of the secrets that a run is given, by the secret. */
export interface MadeSecrets {
  /** Makes a secret one that is followed. */
  follow: (secret: string) => void;
  /** Notes what was made of values. Returns whether one of these is a secret, or was made of one. */
  note: (values: unknown, made: readonly string[]) => boolean;
  /** Restores what `all` gave. */
  restore: (secret: string, made: readonly string[]) => void;
  /** Returns the secrets of which something in the texts was made. The texts are asked for only if there can be any. */
  secretsIn: (texts: () => unknown) => string[];
  /** All secrets of which something was made, with that. */
  all: () => [secret: string, made: readonly string[]][];
}

/** @param forms the forms that a secret is searched by */
export function createMadeSecrets(forms: (secret: string) => ReadonlySet<string>): MadeSecrets {
  const followed = new Set<string>();
  // Most runs have no function, so a secret's own redactor is created with the first one.
  const redactors = new Map<string, Redactor>();
  const made = new Map<string, Set<string>>();
  const redactorOf = (secret: string): Redactor => {
    let redactor = redactors.get(secret);
    if (redactor === undefined) redactors.set(secret, (redactor = createRedactor([secret], forms)));
    return redactor;
  };
  const finds = (secret: string, value: unknown): boolean => {
    const redactor = redactorOf(secret);
    const before = redactor.count();
    redactor.clean(value);
    return redactor.count() > before;
  };
  const restore = (secret: string, texts: readonly string[]): void => {
    followed.add(secret);
    const known = made.get(secret) ?? new Set<string>();
    made.set(secret, known);
    for (const text of texts) {
      known.add(text);
      redactorOf(secret).add(text);
    }
  };
  return {
    follow: (secret) => void followed.add(secret),
    restore,
    note: (values, texts) => {
      const of = [...followed].filter((secret) => finds(secret, values));
      for (const secret of of) restore(secret, texts);
      return of.length > 0;
    },
    secretsIn: (texts) => {
      if (made.size === 0) return [];
      const searched = texts();
      return [...made.keys()].filter((secret) => finds(secret, searched));
    },
    all: () => [...made].map(([secret, texts]) => [secret, [...texts]]),
  };
}
