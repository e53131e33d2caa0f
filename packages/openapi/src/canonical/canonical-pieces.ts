import { isObject } from "../json.ts";
import { encodePointer, type Pointer } from "../pointer.ts";

/** A value that has no canonical text. The message completes "the value at this place …". */
export class CanonicalError extends Error {
  readonly pointer: Pointer;

  constructor(pointer: Pointer, message: string) {
    super(message);
    this.pointer = pointer;
  }
}

export interface CanonicalLimits {
  /** Characters of the whole text: aliases of YAML can make it far larger than what was parsed. */
  chars: number;
  /** Objects and lists inside each other. */
  depth: number;
}

/** Pieces begin at the members of so many levels: those of the third are operations and components. */
const PIECE_LEVELS = 3;

/**
 * Writes a value as JSON without white space, with the members of objects sorted by their names. Yields it in pieces, each of which
 * begins at a member of the first three levels, so that equal operations and components are equal pieces.
 *
 * @throws CanonicalError for a value that exceeds the limits, and for a number that JSON does not have
 */
export function canonicalPieces(value: unknown, limits: CanonicalLimits): Generator<string, void, undefined> {
  return new Writer(limits).pieces(value);
}

/** Returns the whole text of `canonicalPieces`. */
export function canonicalText(value: unknown, limits: CanonicalLimits): string {
  return [...canonicalPieces(value, limits)].join("");
}

class Writer {
  readonly #limits: CanonicalLimits;
  #charsLeft: number;
  #text = "";
  /** The place of the value that is written. */
  readonly #path: (string | number)[] = [];

  constructor(limits: CanonicalLimits) {
    this.#limits = limits;
    this.#charsLeft = limits.chars;
  }

  *pieces(value: unknown): Generator<string, void, undefined> {
    if (!isObject(value) || this.#path.length === PIECE_LEVELS) {
      this.#write(value);
      yield this.#take();
      return;
    }
    let before = "{";
    for (const key of sortedKeys(value)) {
      this.#put(`${before}${JSON.stringify(key)}:`);
      this.#path.push(key);
      yield* this.pieces(value[key]);
      this.#path.pop();
      before = ",";
    }
    this.#put(before === "{" ? "{}" : "}");
    yield this.#take();
  }

  #take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  #put(text: string): void {
    this.#charsLeft -= text.length;
    if (this.#charsLeft < 0) throw this.#error(`makes a text of more than ${this.#limits.chars} characters`);
    this.#text += text;
  }

  #write(value: unknown): void {
    if (typeof value !== "object" || value === null) {
      if (typeof value === "number" && !Number.isFinite(value))
        throw this.#error(`is ${value}, which JSON does not have`);
      this.#put(JSON.stringify(value ?? null));
      return;
    }
    if (this.#path.length >= this.#limits.depth)
      throw this.#error(`nests deeper than ${this.#limits.depth} levels`);
    if (Array.isArray(value)) this.#writeList(value);
    else if (isObject(value)) this.#writeObject(value);
  }

  #writeList(list: readonly unknown[]): void {
    this.#put("[");
    for (const [index, item] of list.entries()) {
      if (index > 0) this.#put(",");
      this.#path.push(index);
      this.#write(item);
      this.#path.pop();
    }
    this.#put("]");
  }

  #writeObject(object: Readonly<Record<string, unknown>>): void {
    let before = "{";
    for (const key of sortedKeys(object)) {
      this.#put(`${before}${JSON.stringify(key)}:`);
      this.#path.push(key);
      this.#write(object[key]);
      this.#path.pop();
      before = ",";
    }
    this.#put(before === "{" ? "{}" : "}");
  }

  #error(message: string): CanonicalError {
    return new CanonicalError(encodePointer(this.#path), message);
  }
}

/** Returns the keys in the order of their UTF-16 code units, as RFC 8785 has it. */
function sortedKeys(object: object): string[] {
  // oxlint-disable-next-line require-array-sort-compare -- the default order is that of code units
  return Object.keys(object).toSorted();
}
