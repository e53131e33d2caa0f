import type { Writable } from "node:stream";
import { styleText } from "node:util";
import type { Environment } from "../../../lib/config.ts";
import { hasColors } from "../../../lib/output.ts";

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
  good: styled("green"),
  bad: styled("red"),
  faint: styled("dim"),
  strong: styled("bold"),
};

/** Ignores this process's own standard output: `styleFor` decides, by the given stream and environment. */
function styled(format: "green" | "red" | "dim" | "bold"): (text: string) => string {
  return (text) => styleText(format, text, { validateStream: false });
}

/** Returns the style with colours if the stream and the environment support them. */
export function styleFor(stream: Writable, env: Environment): Style {
  return hasColors(stream, env) ? COLORED : PLAIN;
}
