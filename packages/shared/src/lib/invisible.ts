/** Scripts in which joiners change how letters are written. */
const JOINING = [
  "Arab",
  "Syrc",
  "Mong",
  "Deva",
  "Beng",
  "Guru",
  "Gujr",
  "Orya",
  "Taml",
  "Telu",
  "Knda",
  "Mlym",
]
  .concat(["Sinh", "Tibt", "Mymr", "Khmr"])
  .map((script) => String.raw`\p{scx=${script}}`)
  .join("");

/** Invisible characters where they belong to what is seen: in emoji, flags, and the scripts that need them. */
const WRITTEN = [
  String.raw`(?<=[\p{ExtPict}\p{EMod}\ufe0f])\u200d(?=\p{ExtPict})`,
  String.raw`(?<=[\p{ExtPict}#*0-9])[\ufe0e\ufe0f]`,
  String.raw`(?<=\u{1f3f4}[\u{e0020}-\u{e007e}]{0,8})[\u{e0020}-\u{e007f}]`,
  String.raw`(?<=[${JOINING}])[\u200c\u200d]`,
  String.raw`(?<=\p{sc=Mong})[\u180b-\u180d\u180f]`,
  String.raw`(?<=\p{sc=Han})[\u{e0100}-\u{e01ef}]`,
].join("|");

/** Controls, bidirectional controls, line separators, lone surrogates, and everything else that has no width and no ink. */
const INVISIBLE = String.raw`(?!${WRITTEN})[\p{Cc}\p{Cs}\p{DI}\u2028\u2029\u2800\ufff9-\ufffc]`;

const EVERY = new RegExp(INVISIBLE, "gu");
/** Only characters outside of ASCII and its controls can be invisible here: most texts have none, and are not searched. */
const MAYBE = /[^\t\n\r -~]/;

/** The source of a regular expression with the flag `u` that matches one invisible character. */
export const INVISIBLE_CHARACTER: string = INVISIBLE;

/**
 * Returns the text with every invisible character written as an escape such as `\u{202e}`, so that no text looks like another one.
 * Tabs and line breaks stay, and so do joiners and selectors in emoji and in scripts that need them.
 */
export function showInvisible(text: string): string {
  if (!MAYBE.test(text)) return text;
  return text.replace(EVERY, (character) => ("\t\n\r".includes(character) ? character : escapeOf(character)));
}

function escapeOf(character: string): string {
  return String.raw`\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
