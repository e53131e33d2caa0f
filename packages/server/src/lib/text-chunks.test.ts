import { describe, expect, test } from "vitest";
import {
  CHUNK_BYTES,
  cutChunks,
  linesOf,
  readTextChunk,
  type TextChunk,
  toTextChunks,
} from "./text-chunks.ts";

const line = (n: number) => `  - item ${n}: ${"ab ".repeat((n * 7) % 40)}${n * 31}\n`;
const lines = (count: number) => Array.from({ length: count }, (_, n) => line(n));
const cut = (text: string) => [...cutChunks(linesOf(Buffer.from(text)))];

describe("the chunks of a text", () => {
  test.each([
    ["nothing", ""],
    ["a line", "a"],
    ["many lines", lines(3000).join("")],
    ["no line", "x".repeat(100_000)],
    ["JSON without lines", JSON.stringify(lines(3000).map((text) => ({ text })))],
    ["equal lines", "a\n".repeat(50_000)],
    ["characters of several bytes", "é😀\n".repeat(20_000)],
  ])("are the text, and none is too large: %s", (_, text) => {
    const chunks = cut(text);
    expect(Buffer.concat(chunks).equals(Buffer.from(text))).toBe(true);
    expect(chunks.filter(({ length }) => length === 0 || length > CHUNK_BYTES.max)).toEqual([]);
  });

  test("have about the average size, so that there are not too many", () => {
    const chunks = cut(lines(20_000).join(""));
    const average = chunks.reduce((sum, { length }) => sum + length, 0) / chunks.length;
    expect(average).toBeGreaterThan(CHUNK_BYTES.average / 2);
    expect(average).toBeLessThan(CHUNK_BYTES.average * 2);
  });

  test.each([
    ["a changed line", (all: string[]) => all.with(1500, "changed\n")],
    ["a new line", (all: string[]) => all.toSpliced(1500, 0, "new\n")],
    ["a missing line", (all: string[]) => all.toSpliced(1500, 1)],
    ["a changed first line", (all: string[]) => all.with(0, "changed\n")],
  ])("stay the same but for one or two around %s", (_, change) => {
    const before = new Set(cut(lines(3000).join("")).map(String));
    const after = cut(change(lines(3000)).join("")).map(String);
    expect(after.filter((chunk) => !before.has(chunk)).length).toBeLessThanOrEqual(2);
  });
});

test("a chunk that occurs twice is stored once, and is read as it was", () => {
  const text = Buffer.from("x".repeat(100_000));
  const known = new Map<string, TextChunk>();
  const ids = toTextChunks(cutChunks([text]), known);
  expect(ids.length).toBeGreaterThan(known.size);
  expect(
    Buffer.concat(ids.map((id) => readTextChunk(known.get(id)?.bytes ?? Buffer.of()))).equals(text),
  ).toBe(true);
});
