import type { Writable } from "node:stream";
import type { Environment } from "../../../config.ts";
import { isTerminal } from "../../../lib/output.ts";

/** Marks up text for a terminal, or leaves it as it is. */
export interface Style {
  good: (text: string) => string;
  bad: (text: string) => string;
  faint: (text: string) => string;
  strong: (text: string) => string;
}

const plain = (text: string) => text;
const PLAIN: Style = { good: plain, bad: plain, faint: plain, strong: plain };

const COLORED: Style = {
  good: (text) => `\u001b[32m${text}\u001b[39m`,
  bad: (text) => `\u001b[31m${text}\u001b[39m`,
  faint: (text) => `\u001b[2m${text}\u001b[22m`,
  strong: (text) => `\u001b[1m${text}\u001b[22m`,
};

/** Colours on a terminal that has them, unless NO_COLOR is set to anything (no-color.org). */
export function styleFor(stream: Writable, env: Environment): Style {
  return isTerminal(stream) && !env["NO_COLOR"] && env["TERM"] !== "dumb" ? COLORED : PLAIN;
}
