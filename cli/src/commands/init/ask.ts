import type { Readable, Writable } from "node:stream";
import { createInterface } from "node:readline";
import { CliError, EXIT_CODES } from "../../lib/cli-error.ts";
import { writeText } from "../../lib/output.ts";

/** Asks questions on a terminal, one line each. */
export interface Questions {
  /** Returns the answer; the default for an empty one. @throws {CliError} if the input ends */
  ask: (question: string, fallback: string) => Promise<string>;
  close: () => void;
}

/** True if a stream is a terminal. */
export function canAsk(stdin: Readable): boolean {
  return "isTTY" in stdin && stdin.isTTY === true;
}

export function openQuestions(stdin: Readable, stderr: Writable): Questions {
  const lines = createInterface({ input: stdin });
  const answers = lines[Symbol.asyncIterator]();
  return {
    ask: async (question, fallback) => {
      writeText(stderr, question);
      const next = await answers.next();
      if (next.done === true) throw new CliError(EXIT_CODES.usage, "Interrupted: nothing was written.");
      const answer = next.value.trim();
      return answer === "" ? fallback : answer;
    },
    close: () => {
      lines.close();
    },
  };
}
