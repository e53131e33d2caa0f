// Node takes and gives the value of a header as one character for each byte.

/** Returns the text of a received header: UTF-8 if its bytes are, else ISO-8859-1, in which every byte is a letter. */
export function headerText(value: string): string {
  if (!/[\u0080-\u00FF]/.test(value)) return value;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
}

/** Returns a header's text as it is sent: in UTF-8, as curl and Go's client do. */
export function headerBytes(text: string): string {
  return /[^\u0000-\u007F]/.test(text) ? Buffer.from(text, "utf8").toString("latin1") : text;
}
