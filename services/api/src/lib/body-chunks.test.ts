import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createBodyChunks } from "./body-chunks.ts";

function join(pieces: readonly Buffer[]): Buffer {
  const chunks = createBodyChunks();
  for (const piece of pieces) chunks.add(piece);
  return chunks.joined();
}

function split(bytes: Buffer, sizeOf: (index: number) => number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.byteLength;) {
    const size = sizeOf(pieces.length);
    pieces.push(Buffer.from(bytes.subarray(at, at + size)));
    at += size;
  }
  return pieces;
}

describe("createBodyChunks", () => {
  const body = randomBytes(100_003);

  it.each<[string, (index: number) => number]>([
    ["one piece", () => body.byteLength],
    ["single bytes", () => 1],
    ["1,023 bytes, the most that is copied", () => 1023],
    ["1,024 bytes, the least that is not", () => 1024],
    ["a page exactly", () => 512],
    ["single bytes between large pieces", (index) => (index % 2 === 0 ? 1 : 2000)],
    ["every size", (index) => index + 1],
  ])("returns what was added: %s", (_name, sizeOf) => {
    expect(join(split(body, sizeOf)).equals(body)).toBe(true);
  });

  it("returns an empty buffer for nothing, and one large chunk itself", () => {
    expect(join([]).byteLength).toBe(0);
    expect(join([body])).toBe(body);
  });

  it("does not release the memory of other small buffers with its own", () => {
    const others = Array.from({ length: 200 }, (_, index) => Buffer.from(`neighbour ${index}`));
    join(split(body, (index) => (index % 2 === 0 ? 7 : 2000)));
    expect(others.map(String)).toEqual(others.map((_, index) => `neighbour ${index}`));
  });
});
