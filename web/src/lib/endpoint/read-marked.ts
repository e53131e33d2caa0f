export type Inline =
  | { kind: "text" | "code" | "strong"; text: string }
  | { kind: "link"; text: string; href: string };

export type Block =
  | { kind: "paragraph" | "heading"; parts: readonly Inline[] }
  | { kind: "list"; items: readonly (readonly Inline[])[] }
  | { kind: "code"; text: string };

const FENCE = /^\s*(?:```|~~~)/;
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;
const HEADING = /^#{1,6}\s+/;

/** Reads the parts of Markdown that descriptions are written in. All else stays text, HTML too. */
export function readMarked(text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    if (line.trim() === "") at += 1;
    else if (FENCE.test(line)) {
      const end = endOf(lines, at, (other) => !FENCE.test(other));
      blocks.push({ kind: "code", text: lines.slice(at + 1, end).join("\n") });
      at = end + 1;
    } else {
      const kind = kindOf(line);
      const end = endOf(lines, at, (other) => continues(kind, other));
      blocks.push(blockOf(kind, lines.slice(at, end)));
      at = end;
    }
  }
  return blocks;
}

/** Returns the index after the lines that belong to the block of a line. */
function endOf(lines: readonly string[], start: number, belongs: (line: string) => boolean): number {
  let at = start + 1;
  while (at < lines.length && belongs(lines[at] ?? "")) at += 1;
  return at;
}

type Kind = "heading" | "list" | "paragraph";

function kindOf(line: string): Kind {
  if (HEADING.test(line)) return "heading";
  return ITEM.test(line) ? "list" : "paragraph";
}

function continues(kind: Kind, line: string): boolean {
  if (kind === "heading" || line.trim() === "" || FENCE.test(line) || HEADING.test(line)) return false;
  return kind === "list" || !ITEM.test(line);
}

function blockOf(kind: Kind, lines: readonly string[]): Block {
  if (kind === "list") return { kind, items: itemsOf(lines).map(readInline) };
  return { kind, parts: readInline(lines.join("\n").replace(HEADING, "")) };
}

/** A line that begins no item belongs to the item before it. */
function itemsOf(lines: readonly string[]): string[] {
  const items: string[] = [];
  for (const line of lines) {
    if (ITEM.test(line) || items.length === 0) items.push(line.replace(ITEM, ""));
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  return items;
}

/** Code, bold words, links and addresses. Each is limited in length, so that no text makes it slow. */
const INLINE =
  /`([^`\n]{1,500})`|\*\*([^*\n]{1,500})\*\*|!?\[([^[\]\n]{0,500})\]\(([^()\s]{1,2000})\)|<(https?:\/\/[^<>\s]{1,2000})>/g;

export function readInline(text: string): Inline[] {
  const parts: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, words, target, address] = match;
    if (match.index > from) parts.push({ kind: "text", text: text.slice(from, match.index) });
    parts.push(
      code !== undefined
        ? { kind: "code", text: code }
        : strong !== undefined
          ? { kind: "strong", text: strong }
          : linkOf({ whole, words, target: target ?? address ?? "" }),
    );
    from = match.index + whole.length;
  }
  if (from < text.length) parts.push({ kind: "text", text: text.slice(from) });
  return parts;
}

/** Only addresses of web pages are links. The address is seen in full if the words are another address. */
function linkOf(link: { whole: string; words: string | undefined; target: string }): Inline {
  const { whole, words, target } = link;
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return { kind: "text", text: whole };
  const { href } = new URL(target);
  const text = words === undefined || words === "" || words.includes("://") ? href : words;
  return { kind: "link", text, href };
}
