import type { Writable } from "node:stream";
import { isTerminal, writeLine } from "./output.ts";

/** Prints notes and progress on standard error. */
export interface Reporter {
  /** A note for the user, also on success. */
  note: (text: string) => void;
  /** A note that a quiet command prints too, about something that the user would wrongly expect in the result. Its details follow, a line each. */
  omission: (text: string, details?: readonly string[]) => void;
  /** A reason for a delay, such as another attempt. Also printed in logs, which must explain the duration. */
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
    omission: (text, details = []) => {
      writeLine(stderr, `Note: ${text}`);
      for (const detail of details) writeLine(stderr, `  ${detail}`);
    },
    delay: (text) => {
      if (!options.quiet) writeLine(stderr, text);
    },
    progress: (text) => {
      if (!options.quiet && isSeen) writeLine(stderr, text);
    },
  };
}
