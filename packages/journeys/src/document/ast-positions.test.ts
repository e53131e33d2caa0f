import { expect, test } from "vitest";
import { parseText } from "./parse-text.ts";

function placesIn(text: string): (pointer: string) => string | undefined {
  const { positions } = parseText(text, { file: "t.yaml" });
  return (pointer) => {
    const found = positions.get(pointer);
    if (found === undefined) return undefined;
    const { key, value } = found;
    return `${key === undefined ? "" : `${key.line}:${key.column} `}${value.line}:${value.column}`;
  };
}

test("places of members, items and empty values", () => {
  const place = placesIn("a: 1\nb:\n  - x\n  -\n  - { c~d/e: 2 }\nempty:\n");
  expect(place("")).toBe("1:1");
  expect(place("/a")).toBe("1:1 1:4");
  expect(place("/b/0")).toBe("3:5");
  expect(place("/b/2/c~0d~1e")).toBe("5:7 5:14");
  expect(place("/empty")).toMatch(/^6:1 /);
});

test("nothing stands where the document has nothing", () => {
  const place = placesIn("a: [x]\n'': y\n");
  for (const pointer of ["/b", "/a/1", "/a/00", "/a/-", "/a/0/c", "a", "/~2"])
    expect([pointer, place(pointer)]).toEqual([pointer, undefined]);
  expect(place("/")).toBe("2:1 2:5");
});

test("places below an alias are those of its anchor", () => {
  const place = placesIn("a: &x { b: [1, 2] }\nc: *x\n");
  expect(place("/c/b/1")).toBe(place("/a/b/1"));
  expect(place("/c")).toBe("2:1 2:4");
});

test("an object of thousands of members", () => {
  const place = placesIn(Array.from({ length: 5_000 }, (_, n) => `k${n}: ${n}`).join("\n"));
  for (const n of [0, 16, 17, 4_999]) expect(place(`/k${n}`)).toMatch(new RegExp(`^${n + 1}:1 ${n + 1}:`));
});
