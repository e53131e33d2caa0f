import { expect, test } from "vitest";
import { showInvisible } from "./invisible.ts";
import { escapeControls, printableJson } from "./printable.ts";

const INVISIBLE: [name: string, character: string][] = [
  ["right-to-left override", "\u202e"],
  ["left-to-right isolate", "\u2066"],
  ["Arabic letter mark", "\u061c"],
  ["right-to-left mark", "\u200f"],
  ["zero width space", "\u200b"],
  ["word joiner", "\u2060"],
  ["byte order mark", "\ufeff"],
  ["soft hyphen", "\u00ad"],
  ["combining grapheme joiner", "\u034f"],
  ["Hangul filler", "\u3164"],
  ["blank Braille pattern", "\u2800"],
  ["line separator", "\u2028"],
  ["interlinear annotation anchor", "\ufff9"],
  ["a joiner in Latin text", "\u200d"],
  ["a selector after a letter", "\ufe0f"],
  ["an ideographic selector after a letter", "\u{e0100}"],
  ["a tag outside a flag", "\u{e0041}"],
  ["escape", "\u001b"],
  ["a control of C1", "\u009b"],
  ["half a pair", "\ud800"],
];

test.each(INVISIBLE)("%s is shown, in the console and in a terminal", (_name, character) => {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  expect(showInvisible(`a${character}b`)).toBe(String.raw`a\u{${code}}b`);
  expect(escapeControls(`a${character}b`)).toBe(String.raw`a\u{${code}}b`);
});

test.each(INVISIBLE)("%s is an escape in printed JSON, which means the same", (_name, character) => {
  const json = printableJson({ path: `a${character}b` }, 2);
  expect(json).toMatch(/^\{\n {2}"path": "a[\\\w]+b"\n\}$/);
  expect(JSON.parse(json)).toEqual({ path: `a${character}b` });
});

test.each([
  ["plain text, with a tab and a line break", "GET /books/{id}\t\r\n"],
  ["letters and spaces of other scripts", "naïve café – „Preis“ 10\u00a0€ 価格 السعر"],
  ["a family", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}"],
  [
    "a heart, a thumb with a colour, a keycap",
    "\u2764\ufe0f \u{1f44d}\u{1f3fd}\u200d\u2642\ufe0f 1\ufe0f\u20e3",
  ],
  ["the flag of Scotland", "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}"],
  ["a Persian word with a non-joiner", "می\u200cخواهم"],
  ["a Hindi word with a joiner", "क्\u200dष"],
  ["an ideograph with a selector", "葛\u{e0100}"],
])("%s stays", (_name, text) => {
  expect(showInvisible(text)).toBe(text);
});
