/** A secret with characters that encodings and report formats escape. */
export const SECRET = 'Tr0ub4dor/&3 "q" +ü';

const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const lower = (text: string): string => text.replaceAll(/%../g, (escape) => escape.toLowerCase());
const eachByte = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join("");
const html = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll("/", "&#x2F;");

/** A secret in the forms in which servers return it, by the name of the encoding. */
export function encodingsOf(secret: string): Record<string, string> {
  const hex = Buffer.from(secret).toString("hex");
  return {
    raw: secret,
    json: json(secret),
    url: encodeURIComponent(secret),
    urlInSmallLetters: lower(encodeURIComponent(secret)),
    urlTwice: encodeURIComponent(encodeURIComponent(secret)),
    everyByte: eachByte(secret),
    form: new URLSearchParams({ s: secret }).toString().slice(2),
    html: html(secret),
    htmlByNumber: Array.from(secret, (character) => `&#${character.codePointAt(0)};`).join(""),
    jsonInUrl: encodeURIComponent(JSON.stringify({ member: secret })),
    base64: base64(secret),
    base64url: Buffer.from(secret).toString("base64url"),
    base64InBasic: base64(`user:${secret}`),
    jsonInBase64: base64(JSON.stringify({ member: secret })),
    hex,
    capitalHex: hex.toUpperCase(),
  };
}

/** The secret as servers send it back. */
export const ENCODED: Record<string, string> = encodingsOf(SECRET);

/** The text without the escapes of report formats, so that they can't hide a secret. */
export function unescaped(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&#10;", "\n")
    .replaceAll("&amp;", "&");
}
