import { expect, it } from "vitest";
import { joinParts, type Part } from "./join-parts.ts";

const partOf = (name: string, size: number, pages: string): Part<string> => ({
  modules: [name],
  size,
  pages: new Map(pages.split("").map((page) => [page, 1])),
  imports: new Set(),
});
const filesOf = (parts: readonly Part<string>[], fileCost = 100) =>
  joinParts(parts, fileCost).map(({ modules }) => modules.join(""));

it("joins what the same pages load, whatever its size", () => {
  expect(filesOf([partOf("a", 90_000, "12"), partOf("b", 90_000, "12"), partOf("c", 90_000, "34")])).toEqual([
    "c",
    "ab",
  ]);
});

it("joins what different pages load while a file less is worth the bytes in vain", () => {
  const parts = () => [partOf("a", 1_000, "123"), partOf("b", 150, "12")];
  // Pages 1 and 2 have a file less, and page 3 loads 150 bytes that it does not need.
  expect(filesOf(parts(), 100)).toEqual(["ab"]);
  expect(filesOf(parts(), 70)).toEqual(["a", "b"]);
});

it("does not join what no page loads together", () => {
  expect(filesOf([partOf("a", 1, "1"), partOf("b", 1, "2")])).toEqual(["a", "b"]);
});

it("counts pages by their weight", () => {
  const dialog = {
    ...partOf("b", 150, "12"),
    pages: new Map([
      ["1", 1],
      ["d", 0.1],
    ]),
  };
  expect(filesOf([partOf("a", 500, "1"), dialog], 49)).toEqual(["a", "b"]);
  expect(filesOf([partOf("a", 500, "1"), dialog], 51)).toEqual(["ab"]);
});

it("makes no files that import each other in a circle", () => {
  const [a, b, c] = [partOf("a", 900, "1"), partOf("b", 900, "12"), partOf("c", 900, "1")];
  a.imports.add(b);
  b.imports.add(c);
  // a and c together would import b, which imports c.
  expect(filesOf([a, b, c])).toEqual(["a", "b", "c"]);
  a.imports.delete(b);
  expect(filesOf([a, b, c])).toEqual(["b", "ac"]);
});

it("joins a part with what it imports", () => {
  const [a, b, c] = [partOf("a", 10, "12"), partOf("b", 10, "12"), partOf("c", 10, "12")];
  a.imports.add(b);
  b.imports.add(c);
  const [file, ...others] = joinParts([a, b, c], 100);
  expect(others).toEqual([]);
  expect(file?.imports.size).toBe(0);
});
