import { describe, expect, onTestFinished, test, vi } from "vitest";
import { locatePointers } from "./locate.ts";

const yaml = `openapi: 3.1.0
paths:
  /a~b:
    get:
      tags: [x, y]
      parameters:
        - name: q
          in: query
        - &shared
          name: r
  "/c":
    get: {}
`;
const json = `{
  "a": [1, {"b\\"c": true}, "x"],
  "a/b": {"c": null}
}`;

describe("locatePointers", () => {
  test("finds keys and items of YAML", () => {
    const wanted = [
      "/openapi",
      "/paths/~1a~0b/get/tags/1",
      "/paths/~1a~0b/get/parameters/0/in",
      "/paths/~1c/get",
    ];
    expect([...locatePointers(yaml, wanted)]).toEqual([
      ["/openapi", { line: 1, column: 1 }],
      ["/paths/~1a~0b/get/tags/1", { line: 5, column: 17 }],
      ["/paths/~1a~0b/get/parameters/0/in", { line: 8, column: 11 }],
      ["/paths/~1c/get", { line: 12, column: 5 }],
    ]);
  });

  test("finds keys and items of JSON", () => {
    expect([...locatePointers(json, ["", '/a/1/b"c', "/a/2", "/a~1b/c", "/nowhere"])]).toEqual([
      ["", { line: 1, column: 1 }],
      ['/a/1/b"c', { line: 2, column: 13 }],
      ["/a/2", { line: 2, column: 28 }],
      ["/a~1b/c", { line: 3, column: 11 }],
    ]);
  });

  test("looks for the ends of lines once, however many places are in a line", () => {
    const text = `{"a":[${"1,".repeat(999)}1]}`;
    const found = vi.spyOn(String.prototype, "indexOf");
    onTestFinished(() => found.mockRestore());
    const positions = locatePointers(
      text,
      Array.from({ length: 1_000 }, (_, index) => `/a/${index}`),
    );
    expect(found.mock.calls.filter(([part]) => part === "\n")).toHaveLength(1);
    expect(positions.get("/a/999")).toEqual({ line: 1, column: text.length - 2 });
  });

  test("finds nothing in a text that is neither", () => {
    expect(locatePointers("{a: [}", ["/a"]).size).toBe(0);
    expect(locatePointers("a: [", ["/a"]).size).toBe(0);
  });
});
