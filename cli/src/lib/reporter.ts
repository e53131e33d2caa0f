import type { Writable } from "node:stream";

/** Says on standard error what goes on besides the result. */
export interface Reporter {
  /** Something the user should know even when all goes well. */
  note: (text: string) => void;
  /** What is being done, on a terminal only: a log has no use for it. */
  progress: (text: string) => void;
}

export function createReporter(stderr: Writable, options: { quiet: boolean }): Reporter {
  const isTerminal = "isTTY" in stderr && stderr.isTTY === true;
  return {
    note: (text) => {
      if (!options.quiet) stderr.write(`Note: ${text}\n`);
    },
    progress: (text) => {
      if (!options.quiet && isTerminal) stderr.write(`${text}\n`);
    },
  };
}
