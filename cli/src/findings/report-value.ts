import { usageError } from "../lib/cli-error.ts";
import { encodingOf } from "../lib/text-encoding.ts";
import { isForeignReport } from "./report-format.ts";

/** The number of brackets at the start of a line that are tried as the start of a report. */
const STARTS_MAX = 100;

/**
 * Returns the JSON value of a report. Tools print text before and after it: `[]No results with a severity of 'error' found!` is an
 * empty report of Spectral.
 * @throws {CliError} if there is no report, or more than one
 */
export function reportValue(bytes: Uint8Array, name: string): unknown {
  const text = decoded(bytes, name);
  const whole = parsed(text);
  if (whole !== undefined) return whole.value;
  const found = [...valuesIn(text)].filter(isForeignReport);
  if (found.length === 1) return found[0];
  if (found.length > 1)
    throw usageError(
      `${name} has ${found.length} reports, one after the other: pass --findings for each file.`,
    );
  const reason = text.trim() === "" ? "is empty" : "has no JSON in it";
  throw usageError(`${name} ${reason}, so it is no report of findings.`, {
    details: [
      "If the tool failed, its message is on its standard error. To write a file, Spectral has --output.",
    ],
  });
}

function decoded(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch (error) {
    throw usageError(`${name} is not a text file in UTF-8 or UTF-16.`, { cause: error });
  }
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Yields the objects and lists that start a line of a text. */
function* valuesIn(text: string): Generator {
  const starts = /^[ \t]*(?=[[{])/gm;
  for (let tried = 0; tried < STARTS_MAX; tried++) {
    const start = starts.exec(text);
    if (start === null) return;
    const at = starts.lastIndex;
    const end = endOfValue(text, at);
    const value = end === undefined ? undefined : parsed(text.slice(at, end));
    if (value !== undefined) yield value.value;
    starts.lastIndex = value === undefined || end === undefined ? at + 1 : end;
  }
}

/** Returns the index after the bracket that closes the one at an index. */
function endOfValue(text: string, start: number): number | undefined {
  const marks = /[[\]{}"\\]/g;
  marks.lastIndex = start;
  let depth = 0;
  let isInString = false;
  for (let next = marks.exec(text); next !== null; next = marks.exec(text)) {
    const [mark] = next;
    if (mark === '"') isInString = !isInString;
    else if (mark === "\\") marks.lastIndex++;
    else if (isInString) continue;
    else if (mark === "[" || mark === "{") depth++;
    else if (--depth === 0) return marks.lastIndex;
  }
  return undefined;
}
