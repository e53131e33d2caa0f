// The OID of the built-in type, the same in every Postgres.
const UUID = 2950;
const UUID_BYTES = 16;

/**
 * Writes a `uuid[]` in Postgres' binary format for parameters, because Postgres takes a microsecond to read an id from
 * text.
 *
 * @param ids as 32 hexadecimal digits each
 */
export function writeUuidArray(ids: readonly string[]): Buffer {
  const array = Buffer.allocUnsafe(ids.length === 0 ? 12 : 20 + ids.length * (4 + UUID_BYTES));
  array.writeInt32BE(ids.length === 0 ? 0 : 1, 0); // dimensions
  array.writeInt32BE(0, 4); // no nulls
  array.writeInt32BE(UUID, 8);
  if (ids.length === 0) return array;
  array.writeInt32BE(ids.length, 12);
  array.writeInt32BE(1, 16); // first index
  let end = 20;
  for (const id of ids) {
    end = array.writeInt32BE(UUID_BYTES, end);
    end += array.write(id, end, "hex");
  }
  return array;
}
