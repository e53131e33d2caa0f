import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MergeChoice, mergedText, mergeLines } from "./merge-lines.ts";

const merge = (base: string, mine: string, theirs: string, ...choices: MergeChoice[]) =>
  mergedText(mergeLines({ base, mine, theirs }), choices);
const conflicts = (base: string, mine: string, theirs: string) =>
  mergeLines({ base, mine, theirs }).filter(({ kind }) => kind === "conflict");

const text = fc
  .array(fc.constantFrom("a\n", "b\r\n", "c\n", "d"), { maxLength: 8 })
  .map((lines) => lines.join(""));

describe("two changes of one text", () => {
  it("are both in the merged text where they are of different lines", () => {
    const base = "1\n2\n3\n4\n5\n";
    expect(conflicts(base, "1\nmine\n3\n4\n5\n", "1\n2\n3\ntheirs\n5\nlast\n")).toEqual([]);
    expect(merge(base, "1\nmine\n3\n4\n5\n", "1\n2\n3\ntheirs\n5\nlast\n")).toBe(
      "1\nmine\n3\ntheirs\n5\nlast\n",
    );
  });

  it("are a choice where they are of the same lines: mine, theirs, or theirs before mine", () => {
    const texts = ["1\n2\n3", "1\nmine\n3", "1\ntheirs\n3"] as const;
    expect(conflicts(...texts)).toEqual([
      { kind: "conflict", base: "2\n", mine: "mine\n", theirs: "theirs\n" },
    ]);
    expect(merge(...texts, "mine")).toBe("1\nmine\n3");
    expect(merge(...texts, "theirs")).toBe("1\ntheirs\n3");
    expect(merge(...texts, "both")).toBe("1\ntheirs\nmine\n3");
    expect(merge("1", "mine", "theirs", "both")).toBe("theirs\nmine");
  });

  it("give the other text where one is no change, and one text where they are equal", () => {
    fc.assert(
      fc.property(text, text, (base, other) => {
        expect(merge(base, other, base)).toBe(other);
        expect(merge(base, base, other)).toBe(other);
        expect(merge(base, other, other)).toBe(other);
      }),
    );
  });

  it("lose no line: each of a text is in it, or in a conflict, or the other text removed it", () => {
    fc.assert(
      fc.property(text, text, text, (base, mine, theirs) => {
        const parts = mergeLines({ base, mine, theirs });
        const count = parts.filter(({ kind }) => kind === "conflict").length;
        const all = (choice: MergeChoice) =>
          mergedText(
            parts,
            Array.from({ length: count }, () => choice),
          );
        const conflicting = parts.filter((part) => part.kind === "conflict");
        expect(conflicting.every((part) => all("mine").includes(part.mine))).toBe(true);
        expect(conflicting.every((part) => all("theirs").includes(part.theirs))).toBe(true);
      }),
    );
  });
});
