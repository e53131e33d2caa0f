// OIDs of built-in types, the same in every Postgres.
const INTEGER = 23;
const TEXT = 25;
const TEXT_ARRAY = 1009;
const UUID = 2950;

/** Up to this length, copying a string character by character is faster than a native call. */
const COPIED_HERE_MAX = 24;

/** Dimensions, flag, type, count, first index. */
const ARRAY_HEAD_BYTES = 20;
/** The approximate size of a row: 80 bytes for the types and lengths of its fields and its id, and the texts. */
const ROW_BYTES = 300;

/** Writes an array of composite values in Postgres' binary format for parameters. */
export class RowWriter {
  #bytes: Buffer;
  #view: DataView;
  #length = 0;
  #rowStart = 0;

  /** Begins an array of `count` rows of the composite type with this OID. */
  constructor({ type, count }: { type: number; count: number }) {
    this.#bytes = Buffer.allocUnsafeSlow(ARRAY_HEAD_BYTES + count * ROW_BYTES);
    this.#view = viewOf(this.#bytes);
    this.#view.setInt32(0, count === 0 ? 0 : 1); // dimensions
    this.#view.setInt32(4, 0); // no nulls
    this.#view.setInt32(8, type);
    this.#length = 12;
    if (count === 0) return;
    this.#view.setInt32(12, count);
    this.#view.setInt32(16, 1); // first index
    this.#length = ARRAY_HEAD_BYTES;
  }

  /** Begins a row. The given number of fields must follow, then `endRow`. */
  beginRow(fields: number): void {
    this.#reserve(8);
    this.#rowStart = this.#length;
    this.#view.setInt32(this.#length + 4, fields);
    this.#length += 8;
  }

  endRow(): void {
    this.#view.setInt32(this.#rowStart, this.#length - this.#rowStart - 4);
  }

  uuid(value: Buffer): void {
    this.#field(UUID, 16);
    this.#length += value.copy(this.#bytes, this.#length);
  }

  integer(value: number): void {
    this.#field(INTEGER, 4);
    this.#view.setInt32(this.#length, value);
    this.#length += 4;
  }

  text(value: string | null): void {
    if (value === null) return this.#field(TEXT, -1);
    this.#reserve(8 + value.length * 3);
    this.#view.setInt32(this.#length, TEXT);
    this.#length += 4;
    this.#writeText(value);
  }

  textArray(values: readonly string[]): void {
    this.#field(TEXT_ARRAY, 20);
    const start = this.#length;
    this.#view.setInt32(start, values.length === 0 ? 0 : 1); // dimensions
    this.#view.setInt32(start + 4, 0); // no nulls
    this.#view.setInt32(start + 8, TEXT);
    this.#length += 12;
    if (values.length > 0) {
      this.#view.setInt32(start + 12, values.length);
      this.#view.setInt32(start + 16, 1); // first index
      this.#length += 8;
      for (const value of values) {
        this.#reserve(4 + value.length * 3);
        this.#writeText(value);
      }
    }
    this.#view.setInt32(start - 4, this.#length - start);
  }

  /** Returns the written bytes. The writer must not be used after that. */
  end(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #field(type: number, length: number): void {
    this.#reserve(8 + Math.max(length, 0));
    this.#view.setInt32(this.#length, type);
    this.#view.setInt32(this.#length + 4, length);
    this.#length += 8;
  }

  /** Writes length and text. The space must be reserved. */
  #writeText(value: string): void {
    const start = this.#length + 4;
    const written = this.#writeAscii(value, start) ?? this.#bytes.write(value, start, "utf8");
    this.#view.setInt32(this.#length, written);
    this.#length = start + written;
  }

  /** Undefined for long or non-ASCII texts. */
  #writeAscii(value: string, start: number): number | undefined {
    const { length } = value;
    if (length > COPIED_HERE_MAX) return undefined;
    for (let n = 0; n < length; n++) {
      const code = value.charCodeAt(n);
      if (code > 0x7f) return undefined;
      this.#bytes[start + n] = code;
    }
    return length;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(this.#bytes.length * 2 + bytes);
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
