import type { Readable, Writable } from "node:stream";
import { CliError, EXIT_CODES } from "../../lib/cli-error.ts";
import { writeText } from "../../lib/output.ts";

/** A terminal whose echo can be switched off. */
type Terminal = Readable & { isTTY: true; setRawMode: (mode: boolean) => unknown };

const LENGTH_MAX = 10_000;
const ENDS = new Set(["\r", "\n", "\u0004"]);
const ERASES = new Set(["\b", "\u007f"]);

/** True if a stream is a terminal, where a key must be asked for without echo. */
export function canAskHidden(stdin: Readable): stdin is Terminal {
  return "isTTY" in stdin && stdin.isTTY === true && "setRawMode" in stdin;
}

/** Asks for one line on a terminal, and shows nothing of it. @throws {CliError} if Ctrl-C ends it */
export async function readHidden(
  { stdin, stderr }: { stdin: Terminal; stderr: Writable },
  prompt: string,
): Promise<string> {
  writeText(stderr, prompt);
  stdin.setRawMode(true);
  try {
    return await readLine(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    writeText(stderr, "\n");
  }
}

function readLine(stdin: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = "";
    const finish = (settle: () => void) => {
      stdin.off("data", onData).off("end", onEnd).off("error", onError);
      settle();
    };
    const onEnd = () => finish(() => resolve(line));
    const onError = (error: Error) => finish(() => reject(error));
    const onData = (chunk: Buffer | string) => {
      for (const character of String(chunk)) {
        if (character === "\u0003") {
          return finish(() => reject(new CliError(EXIT_CODES.usage, "Interrupted: no API key is stored.")));
        }
        if (ENDS.has(character)) return finish(() => resolve(line));
        // An erased character may be half of a pair, but no key has such.
        line = ERASES.has(character) ? line.slice(0, -1) : (line + character).slice(0, LENGTH_MAX);
      }
    };
    stdin.on("data", onData).on("end", onEnd).on("error", onError).resume();
  });
}
