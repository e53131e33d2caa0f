import { query } from "@waymark/test-support/sql.ts";
import {
  foldCharacter,
  searchCharactersSql,
  separatesWords,
} from "@waymark/test-support/search-characters.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

async function searchTexts(texts: readonly string[]): Promise<string[]> {
  const rows = await query<{ text: string }>(
    database,
    "SELECT search_text(t.text) AS text FROM unnest($1::text[]) WITH ORDINALITY AS t (text, n) ORDER BY n",
    [texts],
  );
  return rows.map(({ text }) => text);
}

it("the database's tables of characters are those of Unicode", async () => {
  await expect(searchCharactersSql()).toMatchFileSnapshot("../db/functions/character-classes.sql");
});

it("every character is folded and separates words by Unicode, in a database whose locale is C", async () => {
  const locale = await query(database, "SELECT datctype FROM pg_database WHERE datname = current_database()");
  expect(locale).toEqual([{ datctype: "C" }]);
  const all: string[] = [];
  for (let code = 1; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    // Others are letters of scripts without case, and too many to ask for each time.
    const isAsked = separatesWords(character) || foldCharacter(character) !== character || code < 0x600;
    if (isAsked && (code < 0xd800 || code > 0xdfff)) all.push(character);
  }
  const expected = all.map((character) => {
    // Compatible forms are replaced first: a letter of full width, a ligature.
    const folded = Array.from(character.normalize("NFKC"), (each) =>
      separatesWords(each) ? " " : foldCharacter(each),
    );
    return ` a${folded.join("")}b`.replaceAll(/ +/g, " ");
  });
  const wrong: string[] = [];
  (await searchTexts(all.map((character) => `a${character}b`))).forEach((text, index) => {
    // A mark may be composed with the letter before it.
    if (text !== expected[index]?.normalize("NFKC")) wrong.push(`${all[index]}: ${text}`);
  });
  expect(wrong).toEqual([]);
});

it.each([
  ["ASCII", "GET /v1/Pay_ments{Id}", " get v1 pay ments id "],
  ["capital letters outside ASCII", "ÄRGER Ω ЖУК", " ärger ω жук"],
  ["a Turkish capital i", "İstanbul", " istanbul"],
  ["quotation marks", "“größe” „x‟ «y» ‘z’", " größe x y z "],
  ["dashes, spaces and full stops", "a—b\u00a0c。d…e·f\u3000g", " a b c d e f g"],
  ["composed and decomposed letters", "é e\u0301", " é é"],
  // A small letter with its mark is one character, and the capital one is two.
  [
    "letters that only case composes",
    "J\u030cON \u01f0on \u03aa\u0301 \u0390",
    " \u01f0on \u01f0on \u0390 \u0390",
  ],
  ["letters of full width and ligatures", "ＧＥＴ ﬁle", " get file"],
  ["scripts without capital letters", "支払い 결제 שלום", " 支払い 결제 שלום"],
  ["no words", "“—”", " "],
])("a text has the words that a reader sees: %s", async (_, text, expected) => {
  expect(await searchTexts([text])).toEqual([expected]);
});
