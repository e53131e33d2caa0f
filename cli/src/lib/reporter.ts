import type { Writable } from "node:stream";
import { isTerminal, writeLine } from "./output.ts";

/** Prints notes and progress on standard error. */
export interface Reporter {
  /** A note for the user, also on success. */
  note: (text: string) => void;
  /** A note that a quiet command prints too: what the user would otherwise believe to be there, and is not. */
  omission: (text: string) => void;
  /** What delays the command, such as another attempt, also where no person watches: a log must explain the time. */
  delay: (text: string) => void;
  /** The current step, on terminals only. */
  progress: (text: string) => void;
}

export function createReporter(stderr: Writable, options: { quiet: boolean }): Reporter {
  const isSeen = isTerminal(stderr);
  return {
    note: (text) => {
      if (!options.quiet) writeLine(stderr, `Note: ${text}`);
    },
    omission: (text) => {
      writeLine(stderr, `Note: ${text}`);
    },
    delay: (text) => {
      if (!options.quiet) writeLine(stderr, text);
    },
    progress: (text) => {
      if (!options.quiet && isSeen) writeLine(stderr, text);
    },
  };
}
