// Own code, because sharp is 20 MB for everybody who installs Waymark (docs/adr/0018).
// A picture of a page has few colours, and the shades of its letters. With the 256 most frequent ones, it takes a third of the bytes.
import { crc32, deflateSync, inflateSync } from "node:zlib";

export const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const COLORS_MAX = 256;
const RGB = 2;
const RGBA = 6;
const INDEXED = 3;

interface Pixels {
  width: number;
  height: number;
  /** One number for each pixel: red, green and blue. */
  colors: Uint32Array;
}

/** The picture with at most 256 colours: its most frequent ones exactly, and the one that is nearest in place of every other. */
export function toPalettePng(png: Buffer): Buffer {
  const { width, height, colors } = readPng(png);
  const palette = mostFrequent(colors);
  const indexOf = new Map(palette.map((color, index) => [color, index]));
  const rows = Buffer.alloc(height * (width + 1));
  for (let at = 0; at < colors.length; at++) {
    const color = colors[at] ?? 0;
    let index = indexOf.get(color);
    if (index === undefined) {
      index = nearest(palette, color);
      indexOf.set(color, index);
    }
    rows[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = index;
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, INDEXED, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunkOf("IHDR", head),
    chunkOf("PLTE", Buffer.from(palette.flatMap(channelsOf))),
    chunkOf("IDAT", deflateSync(rows, { level: 9 })),
    chunkOf("IEND", Buffer.alloc(0)),
  ]);
}

/** @throws Error for what no browser writes: other depths, palettes, interlacing */
export function readPng(png: Buffer): Pixels {
  const data: Buffer[] = [];
  let head: Buffer = Buffer.alloc(0);
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === "IHDR") head = body;
    if (type === "IDAT") data.push(body);
    at += length + 12;
  }
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const [depth, kind, , , interlaced] = head.subarray(8);
  if (depth !== 8 || (kind !== RGB && kind !== RGBA) || interlaced !== 0)
    throw new Error(`a PNG of depth ${depth}, type ${kind}`);
  const size = kind === RGB ? 3 : 4;
  const rows = unfilter(inflateSync(Buffer.concat(data)), { rowBytes: width * size, size });
  const colors = new Uint32Array(width * height);
  for (let at = 0; at < colors.length; at++) colors[at] = rows.readUIntBE(at * size, 3);
  return { width, height, colors };
}

/** Undoes what each row says was done to its bytes to make them similar. */
function unfilter(filtered: Buffer, { rowBytes, size }: { rowBytes: number; size: number }): Buffer {
  const height = filtered.length / (rowBytes + 1);
  // With an empty pixel before each row and an empty row before the first one, no byte lacks a neighbour.
  const stride = rowBytes + size;
  const padded = Buffer.alloc((height + 1) * stride);
  for (let row = 0; row < height; row++) {
    const from = row * (rowBytes + 1);
    const undo = FILTERS[filtered[from] ?? 0] ?? none;
    const start = (row + 1) * stride + size;
    for (let column = 0; column < rowBytes; column++) {
      const at = start + column;
      const added = undo(padded[at - size] ?? 0, padded[at - stride] ?? 0, padded[at - stride - size] ?? 0);
      padded[at] = (filtered[from + 1 + column] ?? 0) + added;
    }
  }
  const rows = Buffer.alloc(height * rowBytes);
  for (let row = 0; row < height; row++)
    padded.copy(rows, row * rowBytes, (row + 1) * stride + size, (row + 2) * stride);
  return rows;
}

type Undo = (left: number, up: number, corner: number) => number;

const none: Undo = () => 0;
const FILTERS: readonly Undo[] = [
  none,
  (left) => left,
  (_left, up) => up,
  (left, up) => (left + up) >> 1,
  (left, up, corner) => {
    const sum = left + up - corner;
    const [toLeft, toUp, toCorner] = [Math.abs(sum - left), Math.abs(sum - up), Math.abs(sum - corner)];
    if (toLeft <= toUp && toLeft <= toCorner) return left;
    return toUp <= toCorner ? up : corner;
  },
];

function mostFrequent(colors: Uint32Array): number[] {
  const counts = new Map<number, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  const sorted = [...counts].toSorted(([a, ofA], [b, ofB]) => ofB - ofA || a - b);
  return sorted.slice(0, COLORS_MAX).map(([color]) => color);
}

function nearest(palette: readonly number[], color: number): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [index, other] of palette.entries()) {
    const distance =
      ((other >> 16) - (color >> 16)) ** 2 +
      (((other >> 8) & 255) - ((color >> 8) & 255)) ** 2 +
      ((other & 255) - (color & 255)) ** 2;
    if (distance < least) [best, least] = [index, distance];
  }
  return best;
}

function channelsOf(color: number): number[] {
  return [color >> 16, (color >> 8) & 255, color & 255];
}

/** A part of the file: its length, name, content and checksum. */
export function chunkOf(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), body]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
