import type { Writable } from "node:stream";
import { isTerminal, writeLine } from "./output.ts";

/** Says on standard error what goes on besides the result. */
export interface Reporter {
  /** Something the user should know even when all goes well. */
  note: (text: string) => void;
  /** What is being done, on a terminal only: a log has no use for it. */
  progress: (text: string) => void;
}

export function createReporter(stderr: Writable, options: { quiet: boolean }): Reporter {
  const isSeen = isTerminal(stderr);
  return {
    note: (text) => {
      if (!options.quiet) writeLine(stderr, `Note: ${text}`);
    },
    progress: (text) => {
      if (!options.quiet && isSeen) writeLine(stderr, text);
    },
  };
}
