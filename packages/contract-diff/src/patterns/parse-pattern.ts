/** Code points from the first to the second, both included. */
export type Range = readonly [number, number];

/** A regular expression without anchors, references and lookaround. */
export type Expression =
  | { kind: "characters"; ranges: readonly Range[] }
  | { kind: "sequence"; parts: readonly Expression[] }
  | { kind: "choice"; parts: readonly Expression[] }
  | { kind: "repeat"; part: Expression; min: number; max: number };

export const LAST = 0x10ff_ff;
const ANY: readonly Range[] = [[0, LAST]];
const DIGITS: readonly Range[] = [[48, 57]];
const WORDS: readonly Range[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const SPACES: readonly Range[] = [
  [9, 13],
  [32, 32],
  [160, 160],
  [5760, 5760],
  [8192, 8202],
  [8232, 8233],
  [8239, 8239],
  [8287, 8287],
  [12288, 12288],
  [65279, 65279],
];
const NEWLINES: readonly Range[] = [
  [10, 10],
  [13, 13],
  [8232, 8233],
];
const CONTROLS: Record<string, number> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };
const CLASSES: Record<string, readonly Range[]> = {
  d: DIGITS,
  w: WORDS,
  s: SPACES,
  D: inverted(DIGITS),
  W: inverted(WORDS),
  S: inverted(SPACES),
};
const REPEAT_MAX = 1000;
const DEPTH_MAX = 50;

/** The expression uses what is not understood here. */
class UnsupportedError extends Error {}

interface Cursor {
  text: readonly string[];
  at: number;
  depth: number;
}

/** Returns what a pattern of JSON Schema allows, as an expression of the whole text; undefined if it isn't understood. */
export function parsePattern(pattern: string): Expression | undefined {
  const cursor: Cursor = { text: Array.from(pattern), at: 0, depth: 0 };
  try {
    const parts = [wholeBranch(cursor)];
    while (take(cursor, "|")) parts.push(wholeBranch(cursor));
    return cursor.at === cursor.text.length ? choice(parts) : undefined;
  } catch (error) {
    if (error instanceof UnsupportedError) return undefined;
    throw error;
  }
}

/** A pattern may match anywhere in the text, unless it is anchored. */
function wholeBranch(cursor: Cursor): Expression {
  const anything: Expression = {
    kind: "repeat",
    part: { kind: "characters", ranges: ANY },
    min: 0,
    max: Infinity,
  };
  const start = take(cursor, "^");
  const branch = sequence(cursor);
  const end = take(cursor, "$");
  return { kind: "sequence", parts: [...(start ? [] : [anything]), branch, ...(end ? [] : [anything])] };
}

function sequence(cursor: Cursor): Expression {
  const parts: Expression[] = [];
  for (;;) {
    const character = cursor.text[cursor.at];
    if (character === undefined || character === "|" || character === ")") break;
    if (character === "$" && isEndOfBranch(cursor)) break;
    parts.push(quantified(cursor, atom(cursor)));
  }
  return { kind: "sequence", parts };
}

function isEndOfBranch({ text, at, depth }: Cursor): boolean {
  return depth === 0 && (at + 1 === text.length || text[at + 1] === "|");
}

function atom(cursor: Cursor): Expression {
  const character = next(cursor);
  switch (character) {
    case "(":
      return group(cursor);
    case "[":
      return { kind: "characters", ranges: characterClass(cursor) };
    case ".":
      return { kind: "characters", ranges: inverted(NEWLINES) };
    case "\\":
      return { kind: "characters", ranges: escape(cursor) };
    case "^":
    case "$":
    case "*":
    case "+":
    case "?":
      throw new UnsupportedError();
    default:
      return { kind: "characters", ranges: one(character) };
  }
}

function group(cursor: Cursor): Expression {
  if (take(cursor, "?")) {
    if (take(cursor, "<")) {
      while (next(cursor) !== ">")
        if (/[=!]/.test(cursor.text[cursor.at] ?? "=")) throw new UnsupportedError();
    } else if (!take(cursor, ":")) throw new UnsupportedError();
  }
  if (++cursor.depth > DEPTH_MAX) throw new UnsupportedError();
  const parts = [sequence(cursor)];
  while (take(cursor, "|")) parts.push(sequence(cursor));
  cursor.depth -= 1;
  if (!take(cursor, ")")) throw new UnsupportedError();
  return choice(parts);
}

function quantified(cursor: Cursor, part: Expression): Expression {
  const [min, max] = bounds(cursor);
  take(cursor, "?");
  return min === 1 && max === 1 ? part : { kind: "repeat", part, min, max };
}

function bounds(cursor: Cursor): [number, number] {
  if (take(cursor, "*")) return [0, Infinity];
  if (take(cursor, "+")) return [1, Infinity];
  if (take(cursor, "?")) return [0, 1];
  if (cursor.text[cursor.at] !== "{") return [1, 1];
  const end = cursor.text.indexOf("}", cursor.at);
  const found = /^\{(\d+)(,(\d*))?$/.exec(cursor.text.slice(cursor.at, end).join(""));
  if (end === -1 || found === null) throw new UnsupportedError();
  cursor.at = end + 1;
  const min = Number(found[1]);
  const max = found[2] === undefined ? min : found[3] === "" ? Infinity : Number(found[3]);
  if (min > REPEAT_MAX || (max > REPEAT_MAX && max !== Infinity) || max < min) throw new UnsupportedError();
  return [min, max];
}

function characterClass(cursor: Cursor): readonly Range[] {
  const negated = take(cursor, "^");
  const ranges: Range[] = [];
  while (!take(cursor, "]")) {
    const from = classMember(cursor);
    const dash = cursor.text[cursor.at] === "-" && cursor.text[cursor.at + 1] !== "]";
    if (!dash || from.length !== 1 || from[0]?.[0] !== from[0]?.[1]) {
      ranges.push(...from);
      continue;
    }
    cursor.at += 1;
    const to = classMember(cursor);
    const [low, high] = [from[0]?.[0] ?? 0, to[0]?.[1] ?? 0];
    if (to.length !== 1 || low > high) throw new UnsupportedError();
    ranges.push([low, high]);
  }
  return negated ? inverted(ranges) : ranges;
}

function classMember(cursor: Cursor): readonly Range[] {
  const character = next(cursor);
  if (character === "\\") return take(cursor, "b") ? [[8, 8]] : escape(cursor);
  return one(character);
}

function escape(cursor: Cursor): readonly Range[] {
  const character = next(cursor);
  const known = CLASSES[character];
  if (known !== undefined) return known;
  const control = CONTROLS[character];
  if (control !== undefined) return [[control, control]];
  if (character === "x") return hexadecimal(cursor, 2);
  if (character === "u") return hexadecimal(cursor, 4);
  if (/[A-Za-z1-9]/.test(character)) throw new UnsupportedError();
  return one(character);
}

function hexadecimal(cursor: Cursor, digits: number): readonly Range[] {
  const text = cursor.text.slice(cursor.at, cursor.at + digits).join("");
  if (!/^[\da-f]+$/i.test(text) || text.length !== digits) throw new UnsupportedError();
  cursor.at += digits;
  const code = Number.parseInt(text, 16);
  return [[code, code]];
}

/** Returns the code points that no range has. */
export function inverted(ranges: readonly Range[]): readonly Range[] {
  const gaps: Range[] = [];
  let from = 0;
  for (const [low, high] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (low > from) gaps.push([from, low - 1]);
    from = Math.max(from, high + 1);
  }
  if (from <= LAST) gaps.push([from, LAST]);
  return gaps;
}

function choice(parts: readonly Expression[]): Expression {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : { kind: "choice", parts };
}

function one(character: string): readonly Range[] {
  const code = character.codePointAt(0) ?? 0;
  return [[code, code]];
}

function next(cursor: Cursor): string {
  const character = cursor.text[cursor.at];
  if (character === undefined) throw new UnsupportedError();
  cursor.at += 1;
  return character;
}

function take(cursor: Cursor, character: string): boolean {
  if (cursor.text[cursor.at] !== character) return false;
  cursor.at += 1;
  return true;
}
