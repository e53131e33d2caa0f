/** The forms in which a text may hide, by the name of the encoding. One that is found anywhere means that the text leaked. */
export function encodingsOf(secret: string): ReadonlyMap<string, readonly string[]> {
  const bytes = Buffer.from(secret);
  const each = (form: (byte: number) => string) => [...bytes].map(form).join("");
  const hex = (byte: number, digits: number) => byte.toString(16).padStart(digits, "0");
  return new Map([
    ["plain", [secret]],
    ["reversed", [secret.split("").toReversed().join("")]],
    ["base64", alignedBase64(bytes)],
    ["base64url", alignedBase64(bytes).map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))],
    ["base64 twice", alignedBase64(Buffer.from(bytes.toString("base64").slice(0, 40)))],
    ["hexadecimal", [bytes.toString("hex")]],
    ["hexadecimal in capitals", [bytes.toString("hex").toUpperCase()]],
    [
      "percent encoding",
      [each((byte) => `%${hex(byte, 2)}`), each((byte) => `%${hex(byte, 2).toUpperCase()}`)],
    ],
    [
      "escapes of JSON",
      [each((byte) => `\\u${hex(byte, 4)}`), each((byte) => `\\u${hex(byte, 4).toUpperCase()}`)],
    ],
    ["entities of HTML", [each((byte) => `&#${byte};`), each((byte) => `&#x${hex(byte, 2)};`)]],
    ["a list of bytes", [[...bytes].join(",")]],
    ["UTF-16", [Buffer.from(secret, "utf16le").toString("hex")]],
  ]);
}

/** Base64 depends on where the text begins among others: three ways, without the ends that neighbours change. */
function alignedBase64(bytes: Buffer): string[] {
  return [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .slice(4, 36),
  );
}
