/** A part of a text: an address of the web, or what is between two of them. */
export interface TextPart {
  text: string;
  /** Undefined for text that is no link. */
  href?: string;
}

const ADDRESS = /\bhttps?:\/\/[^\s<>"'`|\\^{}]+/gi;
const TRAILING = new Set(".,;:!?*_~");
/** The bracket that opens, by the one that closes. */
const BRACKETS = new Map([
  [")", "("],
  ["]", "["],
]);

/** Splits a text into addresses of the web and what is between them. All parts together are the text. */
export function linkParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const address = withoutPunctuation(match[0]);
    if (!isAddress(address)) continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index) });
    parts.push({ text: address, href: address });
    end = match.index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** Removes the punctuation of the sentence around an address, and brackets that were opened before it. */
function withoutPunctuation(address: string): string {
  // Counted once: a comment may have thousands of them.
  const surplus = new Map(
    [...BRACKETS].map(([close, open]) => [close, countOf(address, close) - countOf(address, open)]),
  );
  let end = address.length;
  for (;;) {
    const last = address.charAt(end - 1);
    const left = surplus.get(last) ?? 0;
    if (left > 0) surplus.set(last, left - 1);
    else if (!TRAILING.has(last)) return address.slice(0, end);
    end--;
  }
}

function countOf(text: string, character: string): number {
  return text.split(character).length - 1;
}

/** False for an address with a user name: `https://bank.example@evil.example` leads to another host than it seems to. */
function isAddress(address: string): boolean {
  const parsed = URL.parse(address);
  return parsed !== null && parsed.username === "" && parsed.password === "";
}
