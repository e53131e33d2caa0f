/** Letters that most fonts draw like a Latin one, by that one. */
const DRAWN_ALIKE: Readonly<Record<string, string>> = {
  a: "аαɑ",
  b: "ь",
  c: "сϲ",
  d: "ԁ",
  e: "еҽ",
  g: "ɡ",
  h: "һ",
  i: "іıι",
  j: "јϳ",
  k: "кκ",
  l: "1ӏ|ⅼ",
  m: "м",
  n: "п",
  o: "0оοօσ",
  p: "рρ",
  q: "ԛ",
  s: "ѕ",
  u: "υս",
  v: "ѵν",
  w: "ԝѡ",
  x: "хχ",
  y: "уγү",
};
const LATIN = new Map(
  Object.entries(DRAWN_ALIKE).flatMap(([latin, others]) =>
    Array.from(others, (other) => [other, latin] as const),
  ),
);
/** Characters that people don't see, or don't remember: marks, spaces, and separators of words. */
const IGNORED = /[\p{M}\p{Z}\p{C}_.\-‐-―'’]+/gu;

/** Returns a form of a name that is equal for names that people take for one another: in another case, with other spaces or letters. */
function drawnForm(name: string): string {
  const folded = name.normalize("NFKD").toLowerCase().replace(IGNORED, "");
  return Array.from(folded, (character) => LATIN.get(character) ?? character).join("");
}

/** Returns those of the other names that look like a name, and are not equal to it. */
export function findLookAlikes(name: string, others: Iterable<string>): string[] {
  const form = drawnForm(name);
  return [...others].filter((other) => other !== name && drawnForm(other) === form);
}
