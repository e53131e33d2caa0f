import { hash } from "node:crypto";
import type { NormalizedEndpoint, NormalizedFinding } from "../schema.ts";
import { RowWriter } from "./row-writer.ts";

/** The numbers by which a database knows the types `snapshot_endpoint_row` and `snapshot_finding_row`. */
export interface RowTypes {
  endpoint: number;
  finding: number;
}

/** A snapshot's content as Postgres takes it. */
export interface SnapshotRows {
  id: Buffer;
  endpoints: EncodedRows;
  findings: EncodedRows;
}

/** Rows one after the other, to be made a parameter by `rowArray`. Before them is room for the head of an array. */
export interface EncodedRows {
  count: number;
  bytes: Buffer;
}

interface Content {
  endpoints: readonly NormalizedEndpoint[];
  findings: readonly NormalizedFinding[];
}

/**
 * Where the packed form has the hash of the body that it was made of, the number of endpoints, their rows' length in
 * bytes with the room before them, and the number of findings. Then come the rows of both, each after room for a head.
 */
const HEAD = { bodyHash: 0, endpointCount: 32, endpointBytes: 36, findingCount: 40, rows: 44 };
/** Dimensions, flag, type, count, first index. */
const ARRAY_HEAD_BYTES = 20;
/** About what a row takes: 100 bytes for its fields' types and lengths and its id, and most texts. */
const ROW_BYTES = 320;
/** In a row: its length, its number of fields, and then each field's type and length. The id is the first field. */
const ROW_HEAD_BYTES = 4;
const ID_OFFSET = 16;
const ID_BYTES = 32;
/** In the place of what is not known. */
const NO_HASH = Buffer.alloc(ID_BYTES);

/**
 * Writes a scan's content as the rows of a snapshot, ready for Postgres but for the snapshot's id, which depends on
 * all of them.
 *
 * @param options `bodyHash` tells later what the rows were made of; `id` is for who has one already
 */
export function packRows(
  { endpoints, findings }: Content,
  { bodyHash = NO_HASH, id = NO_HASH }: { bodyHash?: Buffer; id?: Buffer } = {},
): Buffer {
  const writer = new RowWriter(
    HEAD.rows + 2 * ARRAY_HEAD_BYTES + (endpoints.length + findings.length) * ROW_BYTES,
  );
  writer.skip(HEAD.rows + ARRAY_HEAD_BYTES);
  endpoints.forEach((endpoint, ordinal) => writeEndpoint(writer, id, ordinal, endpoint));
  const endpointBytes = writer.length - HEAD.rows;
  writer.skip(ARRAY_HEAD_BYTES);
  findings.forEach((finding, ordinal) => writeFinding(writer, id, ordinal, finding));
  const packed = writer.end();
  bodyHash.copy(packed, HEAD.bodyHash);
  packed.writeUInt32BE(endpoints.length, HEAD.endpointCount);
  packed.writeUInt32BE(endpointBytes, HEAD.endpointBytes);
  packed.writeUInt32BE(findings.length, HEAD.findingCount);
  return packed;
}

/**
 * The identity of a scan's content: SHA-256 (32 bytes) of its rows without an id, in their order. Service and spec
 * metadata are not part of it, so that the same content is stored once wherever it comes from.
 */
export function snapshotId(content: Content): Buffer {
  return identify(packRows(content));
}

function identify(packed: Buffer): Buffer {
  return hash("sha256", packed.subarray(HEAD.endpointCount), "buffer");
}

/**
 * Reads what `packRows` wrote without an id, and fills the id in, in place. `bodyHash` is what it was given.
 *
 * @throws Error when it can't have been written by it
 */
export function readSnapshot(packed: Buffer): SnapshotRows & { bodyHash: Buffer } {
  const rows = unpackRows(packed);
  const id = identify(packed);
  fillId(rows.endpoints, id);
  fillId(rows.findings, id);
  return { id, bodyHash: packed.subarray(HEAD.bodyHash, HEAD.endpointCount), ...rows };
}

/** @throws Error when it can't have been written by `packRows` */
export function unpackRows(packed: Buffer): Omit<SnapshotRows, "id"> {
  if (packed.byteLength < HEAD.rows) throw cutOff();
  const findingsStart = HEAD.rows + packed.readUInt32BE(HEAD.endpointBytes);
  if (findingsStart > packed.byteLength) throw cutOff();
  return {
    endpoints: {
      count: packed.readUInt32BE(HEAD.endpointCount),
      bytes: packed.subarray(HEAD.rows, findingsStart),
    },
    findings: { count: packed.readUInt32BE(HEAD.findingCount), bytes: packed.subarray(findingsStart) },
  };
}

function fillId({ count, bytes }: EncodedRows, id: Buffer): void {
  let row = ARRAY_HEAD_BYTES;
  for (let n = 0; n < count; n++) {
    if (row + ID_OFFSET + ID_BYTES > bytes.byteLength) throw cutOff();
    id.copy(bytes, row + ID_OFFSET);
    row += ROW_HEAD_BYTES + bytes.readUInt32BE(row);
  }
  if (row !== bytes.byteLength) throw cutOff();
}

function cutOff(): Error {
  return new Error("the packed rows are not as long as they say");
}

function writeEndpoint(writer: RowWriter, id: Buffer, ordinal: number, endpoint: NormalizedEndpoint): void {
  writer.beginRow(7);
  writer.bytes(id);
  writer.integer(ordinal);
  writer.text(endpoint.method);
  writer.text(endpoint.path);
  writer.text(endpoint.operationId);
  writer.textArray(endpoint.tags);
  writer.text(endpoint.summary);
  writer.endRow();
}

function writeFinding(writer: RowWriter, id: Buffer, ordinal: number, finding: NormalizedFinding): void {
  writer.beginRow(7);
  writer.bytes(id);
  writer.integer(ordinal);
  writer.text(finding.code);
  writer.text(finding.severity);
  writer.text(finding.message);
  writer.text(finding.method);
  writer.text(finding.path);
  writer.endRow();
}

/** One binary array parameter of these rows, made in the room before them where it is of one part alone. */
export function rowArray(type: number, parts: readonly EncodedRows[]): Buffer {
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return writeArrayHead(first.bytes, type, first.count);
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  const rows = parts.map((part) => part.bytes.subarray(ARRAY_HEAD_BYTES));
  return writeArrayHead(Buffer.concat([Buffer.alloc(ARRAY_HEAD_BYTES), ...rows]), type, count);
}

function writeArrayHead(array: Buffer, type: number, count: number): Buffer {
  array.writeInt32BE(count === 0 ? 0 : 1, 0); // dimensions
  array.writeInt32BE(0, 4); // no nulls
  array.writeInt32BE(type, 8);
  if (count === 0) return array.subarray(0, 12);
  array.writeInt32BE(count, 12);
  array.writeInt32BE(1, 16); // first index
  return array;
}
