/**
 * Returns the first place where bytes are not valid UTF-8: the byte, and the character in their text, which was decoded without the
 * byte order mark. A replacement character that the bytes have themselves is valid.
 */
export function firstInvalid(bytes: Uint8Array, text: string): { byte: number; index: number } | undefined {
  const encoder = new TextEncoder();
  let byte = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let from = 0;
  for (let index = text.indexOf("\uFFFD"); index !== -1; index = text.indexOf("\uFFFD", from)) {
    byte += encoder.encode(text.slice(from, index)).length;
    const isSent = bytes[byte] === 0xef && bytes[byte + 1] === 0xbf && bytes[byte + 2] === 0xbd;
    if (!isSent) return { byte, index };
    byte += 3;
    from = index + 1;
  }
  return undefined;
}
