import { deflateSync, inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { chunkOf, readPng, SIGNATURE, toPalettePng } from "./palette-png.ts";

interface Picture {
  width: number;
  colors: readonly number[];
}

/** As an RGB picture whose rows use the filters 0 to 4 in turn. */
function writePng({ width, colors }: Picture): Buffer {
  const height = colors.length / width;
  const bytes = colors.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]);
  const row = width * 3;
  const byteAt = (y: number, x: number) => (y < 0 || x < 0 ? 0 : (bytes[y * row + x] ?? 0));
  const filtered = Array.from({ length: height }, (_, y) => [
    y % 5,
    ...Array.from({ length: row }, (__, x) => {
      const [left, up, corner] = [byteAt(y, x - 3), byteAt(y - 1, x), byteAt(y - 1, x - 3)];
      // Paeth's predictor: the value nearest to left + up - corner; if two are equally near, the first of them.
      const near = [left, up, corner].toSorted(
        (a, b) => Math.abs(left + up - corner - a) - Math.abs(left + up - corner - b),
      );
      const taken = [0, left, up, (left + up) >> 1, near[0] ?? 0][y % 5] ?? 0;
      return (byteAt(y, x) - taken) & 255;
    }),
  ]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const data = deflateSync(Buffer.from(filtered.flat()));
  return Buffer.concat([
    SIGNATURE,
    chunkOf("IHDR", head),
    chunkOf("IDAT", data),
    chunkOf("IEND", Buffer.alloc(0)),
  ]);
}

/** The colours of a picture with a palette. */
function paletteColors(png: Buffer, width: number): number[] {
  const bodyOf = (type: string) => {
    const at = png.indexOf(type, "latin1");
    return png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4));
  };
  const palette = bodyOf("PLTE");
  const rows = [...inflateSync(bodyOf("IDAT"))].filter((_, at) => at % (width + 1) !== 0);
  return rows.map((index) => palette.readUIntBE(index * 3, 3));
}

const width = 40;
const colorsOf = (kinds: number) =>
  Array.from({ length: width * 20 }, (_, at) => ((at * 7919) % kinds) * 12_345 + 0x102030);

test("a picture is read as it was written, with each filter of its rows", () => {
  const colors = colorsOf(500);
  expect([...readPng(writePng({ width, colors })).colors]).toEqual(colors);
});

test("a picture of 256 colours keeps them all", () => {
  const colors = colorsOf(256);
  expect(paletteColors(toPalettePng(writePng({ width, colors })), width)).toEqual(colors);
});

test("of more colours, the most frequent ones stay, and another becomes the nearest of these", () => {
  const colors = colorsOf(256);
  const written = paletteColors(
    toPalettePng(writePng({ width, colors: [...colors.slice(1), 0x102031] })),
    width,
  );
  expect(written).toEqual([...colors.slice(1), 0x102030]);
});
