/** Writes rows in the format of `COPY … (FORMAT binary)`. */
export class BinaryRows {
  #bytes: Buffer;
  #length = 0;

  constructor(bytesExpected: number) {
    this.#bytes = Buffer.allocUnsafe(bytesExpected);
    this.#reserve(HEADER.byteLength);
    this.#length = HEADER.copy(this.#bytes);
  }

  row(fields: number): void {
    this.#reserve(2);
    this.#length = this.#bytes.writeInt16BE(fields, this.#length);
  }

  bytes(value: Buffer): void {
    this.#int32(value.byteLength);
    this.#reserve(value.byteLength);
    this.#length += value.copy(this.#bytes, this.#length);
  }

  integer(value: number): void {
    this.#int32(4);
    this.#int32(value);
  }

  text(value: string | null): void {
    if (value === null) return this.#int32(-1);
    this.#reserve(4 + value.length * 3);
    const length = this.#bytes.write(value, this.#length + 4, "utf8");
    this.#bytes.writeInt32BE(length, this.#length);
    this.#length += 4 + length;
  }

  textArray(values: readonly string[]): void {
    const start = this.#length;
    this.#int32(0);
    this.#int32(values.length === 0 ? 0 : 1);
    this.#int32(0);
    this.#int32(TEXT_OID);
    if (values.length > 0) {
      this.#int32(values.length);
      this.#int32(1);
      for (const value of values) this.text(value);
    }
    this.#bytes.writeInt32BE(this.#length - start - 4, start);
  }

  end(): Buffer {
    this.row(-1);
    return this.#bytes.subarray(0, this.#length);
  }

  #int32(value: number): void {
    this.#reserve(4);
    this.#length = this.#bytes.writeInt32BE(value, this.#length);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(this.#bytes.length * 2 + bytes);
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

const TEXT_OID = 25;
// The signature, no flags, no extension.
const HEADER = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
