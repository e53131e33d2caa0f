import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editorText, ownChange, ownOffset } from "./line-breaks.ts";

const texts = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r\n"), maxLength: 20 });

describe("changes in an editor whose line breaks are all \\n", () => {
  it("keep the bytes of every line break outside of the change", () => {
    fc.assert(
      fc.property(texts, fc.nat(20), fc.nat(20), texts, (text, a, b, typed) => {
        const shown = editorText(text);
        const from = Math.min(a, b, shown.length);
        const to = Math.min(Math.max(a, b), shown.length);
        const insert = editorText(typed);
        const change = ownChange(text, [{ from, to, insert }]);
        if (change === undefined) throw new Error("no change");
        const before = text.slice(0, ownOffset(text, from));
        const after = text.slice(ownOffset(text, to));
        expect(before).toBe(text.slice(0, change.at));
        expect(text.slice(change.at + change.removed.length)).toBe(after);
        const result = before + change.inserted + after;
        expect(editorText(result)).toBe(shown.slice(0, from) + insert + shown.slice(to));
      }),
    );
  });

  it("write new line breaks as the document has them, at several places at once", () => {
    const change = ownChange("a\r\nb\r\nc\n", [
      { from: 1, to: 1, insert: "\nx" },
      { from: 4, to: 5, insert: "y" },
    ]);
    expect(change).toEqual({ at: 1, removed: "\r\nb\r\nc", inserted: "\r\nx\r\nb\r\ny" });
    expect(ownChange("ab", [{ from: 1, to: 1, insert: "\n" }])?.inserted).toBe("\n");
    expect(ownChange("ab", [])).toBeUndefined();
  });
});
