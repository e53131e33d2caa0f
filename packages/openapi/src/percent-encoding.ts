/** Percent-encodes all but the unreserved characters of RFC 3986, as the simple expansion of RFC 6570 (3.2.2) does. */
export function encodeUnreserved(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/[!'()*]/g, percent);
}

const ESCAPE = /^%[\dA-Fa-f]{2}$/;
const NOT_RESERVED = /%[\dA-Fa-f]{2}|%|[^\w\-.~:/?#[\]@!$&'()*+,;=%]+/gu;

/**
 * Percent-encodes as the reserved expansion of RFC 6570 (3.2.3) does: reserved characters and escapes stay, a percent sign that
 * begins no escape does not.
 */
export function encodeReserved(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(NOT_RESERVED, (part) => (ESCAPE.test(part) ? part : encodeURIComponent(part)));
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
