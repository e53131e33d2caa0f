import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffLines } from "./line-diff.ts";

const short = (before: string, after: string) =>
  diffLines(before, after).map((hunk) =>
    hunk.map(({ kind, text }) => `${{ same: " ", removed: "-", added: "+" }[kind]}${text}`),
  );

describe("the difference of two texts", () => {
  it("shows changed lines with three lines around them, and lines that are near each other together", () => {
    const before = Array.from({ length: 20 }, (_, n) => `line ${n + 1}\n`);
    const after = before.toSpliced(1, 1, "two\n").toSpliced(5, 0, "new\n").toSpliced(18, 1);
    expect(short(before.join(""), after.join(""))).toEqual([
      [
        " line 1",
        "-line 2",
        "+two",
        " line 3",
        " line 4",
        " line 5",
        "+new",
        " line 6",
        " line 7",
        " line 8",
      ],
      [" line 15", " line 16", " line 17", "-line 18", " line 19", " line 20"],
    ]);
  });

  it("is empty for equal texts, and shows another line break as a change", () => {
    expect(diffLines("a\nb", "a\nb")).toEqual([]);
    expect(short("a\r\n", "a\n")).toEqual([["-a", "+a"]]);
    expect(short("", "a")).toEqual([["+a"]]);
  });

  it("has every line of the changed parts of both texts, in order, also where the texts are too long to compare", () => {
    const texts = fc.array(fc.constantFrom("a\n", "b\n", "c\n"), { maxLength: 8 });
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const lines = diffLines(before.join(""), after.join("")).flat();
        const of = (kind: string) =>
          lines.filter((line) => line.kind === kind).map(({ text }) => `${text}\n`);
        expect(before.length - of("removed").length).toBe(after.length - of("added").length);
        for (const { kind, text, number } of lines)
          expect(`${text}\n`).toBe((kind === "removed" ? before : after)[number - 1]);
      }),
    );
    const long = (word: string) => Array.from({ length: 2_100 }, (_, n) => `${word} ${n}\n`).join("");
    expect(short(long("old"), long("new"))[0]).toHaveLength(4_200);
  });
});
