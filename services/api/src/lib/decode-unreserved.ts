/** Letters, digits and `-._~`, percent-encoded. RFC 3986 calls an address with these encoded equivalent to one with them plain. */
const ENCODED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;

/** An equivalent address in which no credential is hidden: keys and tokens consist of characters that need no encoding. */
export function decodeUnreserved(url: string): string {
  if (!url.includes("%")) return url;
  return url.replace(ENCODED, (octet) => String.fromCodePoint(Number.parseInt(octet.slice(1), 16)));
}
