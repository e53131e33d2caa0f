/**
 * The body of a response that is no text. It can be an output, and the body or a part of a request, and is sent as it came. What
 * looks into it, such as a pattern, sees it as UTF-8 text with replacement characters.
 */
export class Bytes {
  readonly #content: Uint8Array;
  readonly #mediaType: string;
  readonly #isCut: boolean;

  constructor(
    content: Uint8Array,
    { mediaType, isCut = false }: { mediaType: string; isCut?: boolean | undefined },
  ) {
    this.#content = content;
    this.#mediaType = mediaType;
    this.#isCut = isCut;
  }

  get content(): Uint8Array {
    return this.#content;
  }

  /** The media type of the response, which may be empty. */
  get mediaType(): string {
    return this.#mediaType;
  }

  /** True if more followed than was read. */
  get isCut(): boolean {
    return this.#isCut;
  }

  text(): string {
    return new TextDecoder().decode(this.#content);
  }

  equals(other: Bytes): boolean {
    const [one, two] = [this.#content, other.#content];
    return one.length === two.length && one.every((byte, index) => byte === two[index]);
  }

  /** Returns what is shown in place of the content: it may contain anything, also what a hash of it would give away. */
  toJSON(): string {
    return `(${this.#content.length} bytes)`;
  }
}

/** Returns the texts in which a secret among bytes is searched: as UTF-8, and as Latin-1 for letters beyond ASCII. */
export function readingsOf(content: Uint8Array): string[] {
  return ["utf-8", "latin1"].map((encoding) => new TextDecoder(encoding).decode(content));
}

/** Returns bytes as text, and any other value as it is. */
export function bytesAsText(value: unknown): unknown {
  return value instanceof Bytes ? value.text() : value;
}

/** Returns the first bytes in a value; undefined if there are none. */
export function findBytes(value: unknown): Bytes | undefined {
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined || open.length > 0; next = open.pop()) {
    if (next instanceof Bytes) return next;
    if (typeof next === "object" && next !== null) for (const item of Object.values(next)) open.push(item);
  }
  return undefined;
}

/** Returns a copy of a value with a description in place of bytes, or the value itself if it contains none. */
export function describeBytes(value: unknown): unknown {
  return findBytes(value) === undefined ? value : JSON.parse(JSON.stringify(value));
}

/** Returns a copy of a value of JSON, in which bytes, which don't change, are the same. */
export function cloneValue(value: unknown): unknown {
  if (typeof value !== "object" || value === null || value instanceof Bytes) return value;
  if (Array.isArray(value)) return value.map(cloneValue);
  const copy: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    Object.defineProperty(copy, name, {
      value: cloneValue(item),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}
