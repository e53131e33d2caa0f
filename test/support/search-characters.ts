// The characters that separate words in searches, and the capital letters with their small ones, as SQL functions: case and
// punctuation must not depend on the database's locale, which knows ASCII only where it is C.

const LINE_CHARS = 110;

/** Punctuation, symbols, spaces and control characters. */
const SEPARATOR = /^[\p{P}\p{S}\p{Z}\p{Cc}\p{Cf}]$/u;
/** A Turkish capital i has no small letter of one character in Unicode's table. */
const DOTTED_I = "İ";

/** Returns all characters but 0, which is in no text of Postgres. */
function allCharacters(): string {
  const parts: string[] = [];
  for (let code = 1; code <= 0x10ffff; code++) {
    const isSurrogate = code >= 0xd800 && code <= 0xdfff;
    if (!isSurrogate) parts.push(String.fromCodePoint(code));
  }
  return parts.join("");
}

/** True if the character separates words. */
export function separatesWords(character: string): boolean {
  return SEPARATOR.test(character);
}

/** Returns the character that Unicode's simple case folding makes of one, or the character itself. */
export function foldCharacter(character: string): string {
  if (character === DOTTED_I) return "i";
  const small = character.toUpperCase().toLowerCase();
  const isOne = small !== character && Array.from(small).length === 1;
  return isOne && new RegExp(`^\\u{${character.codePointAt(0)?.toString(16) ?? ""}}$`, "iu").test(small)
    ? small
    : character;
}

/** Returns the text of `functions/character-classes.sql`. */
export function searchCharactersSql(): string {
  const all = allCharacters();
  const separators = all.match(/[\p{P}\p{S}\p{Z}\p{Cc}\p{Cf}]/gu) ?? [];
  const capitals = (all.match(/[\p{Changes_When_Casefolded}\p{Changes_When_Lowercased}]/gu) ?? []).filter(
    (each) => foldCharacter(each) !== each,
  );
  const outsideAscii = capitals.filter((each) => each > "\u007f");
  const functions = [
    sqlFunction("word_separators", "The characters that separate words, as a class of a pattern.", [
      "[",
      ...rangesOf(separators),
      "]",
    ]),
    sqlFunction("capital_letters", "Letters that are searched as others, as a class of a pattern.", [
      "[",
      ...rangesOf(capitals),
      "]",
    ]),
    sqlFunction("letters_to_fold", "Those outside ASCII.", outsideAscii),
    sqlFunction("folded_letters", "Their small letters, in the same order.", outsideAscii.map(foldCharacter)),
  ];
  return `-- Characters by Unicode ${process.versions["unicode"]}. Generated: search-text.test.ts compares it, and writes it with --update.\n\n${functions.join("\n")}`;
}

/** Returns ranges of a pattern's class. */
function rangesOf(found: readonly string[]): string[] {
  const ranges: [first: number, last: number][] = [];
  for (const character of found) {
    const code = character.codePointAt(0) ?? 0;
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  return ranges.map(([first, last]) =>
    first === last ? escapeCode(first) : `${escapeCode(first)}-${escapeCode(last)}`,
  );
}

function escapeCode(code: number): string {
  const digits = code.toString(16);
  return code > 0xffff ? `\\U${digits.padStart(8, "0")}` : `\\u${digits.padStart(4, "0")}`;
}

function sqlFunction(name: string, description: string, parts: readonly string[]): string {
  const lines = [""];
  for (const part of parts) {
    if ((lines.at(-1) ?? "").length + part.length > LINE_CHARS) lines.push("");
    lines[lines.length - 1] += part;
  }
  const literals = lines.map((line) => `'${line}'`).join(" ||\n    ");
  return `-- ${description}
CREATE OR REPLACE FUNCTION ${name}() RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
  SELECT
    ${literals}
$$;
`;
}
