/** A secret with what encodings and report formats escape in it. */
export const SECRET = 'Tr0ub4dor/&3 "q" +ü';

/** The secret as servers send it back. */
export const ENCODED: Record<string, string> = {
  raw: SECRET,
  json: JSON.stringify(SECRET).slice(1, -1),
  url: encodeURIComponent(SECRET),
  form: new URLSearchParams({ s: SECRET }).toString().slice(2),
  base64: Buffer.from(SECRET).toString("base64"),
  base64InBasic: Buffer.from(`user:${SECRET}`).toString("base64"),
  hex: Buffer.from(SECRET).toString("hex"),
};

/** The text with what report formats escape undone, so that nothing hides in the escaping. */
export function unescaped(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&#10;", "\n")
    .replaceAll("&amp;", "&");
}
