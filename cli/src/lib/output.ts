import type { Writable } from "node:stream";
import type { Environment } from "./config.ts";
import { escapeControl, escapeControls, printableJson } from "@waymark/shared/lib/printable.ts";

/** All output of the command goes through this file. */

/** The streams that `guardOutput` changed, with what they did before. */
const unguarded = new WeakMap<Writable, (text: string) => boolean>();

/** The escape sequences that the command itself prints on a terminal; see `journey/run/style.ts`. */
const OWN_SEQUENCES = String.raw`\u001b\[(?:1|2|22|31|32|39)m|\r\u001b\[2K`;
const GUARDED = new RegExp(
  String.raw`${OWN_SEQUENCES}|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\p{Cs}]|#(?=#\w*\[)`,
  "gu",
);

/** The beginning of the only command to Azure Pipelines that is printed. */
export const AZURE_ISSUE = "##vso[task.logissue ";

/**
 * Makes a stream escape control characters, in case a line contains unescaped text. Only line breaks, tabs and, on a terminal,
 * the command's own colours pass. No line begins with `::`, which would be a command to GitHub Actions. This also applies to
 * what libraries write to the stream.
 */
export function guardOutput(stream: Writable, env: Environment): void {
  if (unguarded.has(stream)) return;
  const write = stream.write.bind(stream);
  unguarded.set(stream, (text) => write(text));
  const ownSequencesPass = isTerminal(stream) || hasColors(stream, env);
  let isLineStart = true;
  const clean = (text: string): string => {
    const shown = text.replace(GUARDED, (found) => {
      if (found.length > 1 && ownSequencesPass) return found;
      return Array.from(found, escapeControl).join("");
    });
    // The runner of GitHub Actions ignores white space before its commands.
    const safe = shown.replace(/(^|\n)([^\S\n]*):(?=:)/g, (all, before: string, space: string) =>
      before === "" && !isLineStart ? all : `${before}${space}${escapeControl(":")}`,
    );
    const last = text.slice(text.lastIndexOf("\n") + 1);
    isLineStart = (isLineStart || text.includes("\n")) && last.trim() === "";
    return safe;
  };
  const guarded: typeof stream.write = (chunk: unknown, ...rest: unknown[]) =>
    Reflect.apply(write, undefined, [clean(textOf(chunk)), ...rest]);
  stream.write = guarded;
}

/** Prints one line. Line breaks in it are untrusted, and escaped like every control character. */
export function writeLine(stream: Writable, line: string): void {
  stream.write(`${escapeControls(line)}\n`);
}

/** Prints lines that the command formatted. Their foreign parts are escaped already, or only by `guardOutput`, as in a diff. */
export function writeText(stream: Writable, text: string): void {
  stream.write(text);
}

/** Prints a value as JSON, in one line unless an indent is given. */
export function writeJson(stream: Writable, value: unknown, indent?: number): void {
  stream.write(`${printableJson(value, indent)}\n`);
}

/**
 * Writes a requested file to standard output: byte for byte for another program, and escaped for a terminal.
 */
export function writeDocument(stream: Writable, text: string): void {
  if (isTerminal(stream)) stream.write(text);
  else (unguarded.get(stream) ?? stream.write.bind(stream))(text);
}

/** Prints a command to the runner of GitHub Actions or Azure Pipelines, such as an annotation. Its parts are escaped already. */
export function writeWorkflowCommand(stream: Writable, command: string): void {
  // Elsewhere in a line, it would be foreign text.
  const own = command.startsWith(AZURE_ISSUE) ? AZURE_ISSUE : "";
  (unguarded.get(stream) ?? stream.write.bind(stream))(
    `${own}${escapeControls(command.slice(own.length))}\n`,
  );
}

export function isTerminal(stream: Writable): boolean {
  return "isTTY" in stream && stream.isTTY === true;
}

/**
 * True if colours are printed: on a terminal that has them, unless NO_COLOR is set to anything (no-color.org).
 * FORCE_COLOR decides where it is set, as in Node: 0 and false are no, everything else is yes (force-color.org).
 */
export function hasColors(stream: Writable, env: Environment): boolean {
  const forced = env["FORCE_COLOR"];
  if (forced) return forced !== "0" && forced !== "false";
  return isTerminal(stream) && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}

/** True if a line can be replaced, which a dumb terminal can't do. */
export function canRewriteLines(stream: Writable, env: Environment): boolean {
  return isTerminal(stream) && env["TERM"] !== "dumb";
}

/**
 * Prints a line that must not be lost: if the stream can't be written, for example on a full disk, it goes to the other one. A
 * reader that closed early needs no more output.
 */
export function writeResult(stream: Writable, line: string, other: Writable): void {
  stream.write(`${escapeControls(line)}\n`, (error?: NodeJS.ErrnoException | null) => {
    if (error && error.code !== "EPIPE") writeLine(other, line);
  });
}

function textOf(chunk: unknown): string {
  return chunk instanceof Uint8Array ? Buffer.from(chunk).toString() : String(chunk);
}
