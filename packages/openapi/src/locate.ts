import { type Event, EVENT_ID, getScalarValue, parseEvents } from "js-yaml";
import { childPointer, type Pointer } from "./pointer.ts";

/** A place in a text; lines and columns start at 1. */
export interface TextPosition {
  line: number;
  column: number;
}

const DEPTH_MAX = 500;

interface Frame {
  isArray: boolean;
  /** The index of the next item. */
  index: number;
  /** The key that waits for its value, with its offset. */
  key: string | undefined;
  keyAt: number;
  /** Undefined if no wanted pointer is below. */
  pointer: Pointer | undefined;
}

/**
 * Finds the positions of values in a JSON or YAML text: of a member that of its key. Pointers that it doesn't find are left out, and
 * so are all of a YAML text that can't be read in one pass.
 */
export function locatePointers(text: string, pointers: readonly Pointer[]): Map<Pointer, TextPosition> {
  const search = createSearch(pointers);
  const start = text.search(/\S/);
  if (text[start] === "{" || text[start] === "[") {
    if (!scanJson(text, search)) search.found.clear();
  }
  if (search.found.size === 0) scanYaml(text, search);
  return toPositions(text, search.found);
}

interface Search {
  /** The wanted pointers, and those above them. */
  prefixes: ReadonlySet<Pointer>;
  wanted: ReadonlySet<Pointer>;
  found: Map<Pointer, number>;
  frames: Frame[];
}

function createSearch(pointers: readonly Pointer[]): Search {
  const wanted = new Set(pointers);
  const prefixes = new Set<Pointer>([""]);
  for (const pointer of wanted) {
    for (let at = pointer; at !== "" && !prefixes.has(at); at = at.slice(0, at.lastIndexOf("/")))
      prefixes.add(at);
  }
  return { prefixes, wanted, found: new Map(), frames: [] };
}

/** A value begins: returns its pointer if it, or something below it, is wanted. */
function enter({ prefixes, wanted, found, frames }: Search, offset: number): Pointer | undefined {
  const frame = frames.at(-1);
  if (frame === undefined) {
    if (wanted.has("")) found.set("", offset);
    return "";
  }
  const name = frame.isArray ? String(frame.index++) : (frame.key ?? "");
  const at = frame.isArray ? offset : frame.keyAt;
  frame.key = undefined;
  if (frame.pointer === undefined) return undefined;
  const pointer = childPointer(frame.pointer, name);
  if (!prefixes.has(pointer)) return undefined;
  if (wanted.has(pointer)) found.set(pointer, at);
  return pointer;
}

function open(search: Search, isArray: boolean, offset: number): void {
  const pointer = enter(search, offset);
  search.frames.push({ isArray, index: 0, key: undefined, keyAt: offset, pointer });
}

/** Returns false for a text that is not JSON. */
function scanJson(text: string, search: Search): boolean {
  const { frames } = search;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x7b || code === 0x5b) open(search, code === 0x5b, at);
    else if (code === 0x7d || code === 0x5d) frames.pop();
    else if (code === 0x22) {
      const end = endOfString(text, at);
      if (end === -1) return false;
      const frame = frames.at(-1);
      if (frame !== undefined && !frame.isArray && frame.key === undefined) {
        frame.key = frame.pointer === undefined ? "" : unquoted(text.slice(at, end + 1));
        frame.keyAt = at;
      } else enter(search, at);
      at = end;
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a)) {
      enter(search, at);
      while (at + 1 < text.length && !" \t\r\n,]}".includes(text.charAt(at + 1))) at++;
    } else if (!isSpacing(code)) return false;
  }
  return true;
}

/** White space, a comma or a colon. */
function isSpacing(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09 || code === 0x2c || code === 0x3a;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return -1;
}

function unquoted(quoted: string): string {
  if (!quoted.includes("\\")) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    // The key is in no pointer.
    return "";
  }
}

function scanYaml(text: string, search: Search): void {
  let events: Event[];
  try {
    events = parseEvents(text, { maxDepth: DEPTH_MAX });
  } catch {
    // The text is YAML that this parser doesn't read: there are no positions.
    return;
  }
  let last = 0;
  for (const event of events) {
    if (event.type === EVENT_ID.SCALAR) {
      last = event.valueStart;
      const frame = search.frames.at(-1);
      if (frame !== undefined && !frame.isArray && frame.key === undefined) {
        frame.key = frame.pointer === undefined ? "" : getScalarValue(text, event);
        frame.keyAt = event.valueStart;
      } else enter(search, event.valueStart);
    } else if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) {
      open(search, event.type === EVENT_ID.SEQUENCE, last);
    } else if (event.type === EVENT_ID.POP) search.frames.pop();
    else if (event.type !== EVENT_ID.DOCUMENT) enter(search, last);
  }
}

function toPositions(text: string, found: ReadonlyMap<Pointer, number>): Map<Pointer, TextPosition> {
  const positions = new Map<Pointer, TextPosition>();
  let line = 1;
  let lineStart = 0;
  // Looked for once, so that a text of one line is not read again for each place in it.
  let lineEnd = text.indexOf("\n");
  for (const [pointer, offset] of [...found].toSorted((a, b) => a[1] - b[1])) {
    while (lineEnd !== -1 && lineEnd < offset) {
      line += 1;
      lineStart = lineEnd + 1;
      lineEnd = text.indexOf("\n", lineStart);
    }
    positions.set(pointer, { line, column: offset - lineStart + 1 });
  }
  return positions;
}
