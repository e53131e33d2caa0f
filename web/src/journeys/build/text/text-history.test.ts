import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  changeBetween,
  historyOf,
  redone,
  type TextHistory,
  undone,
  withText,
  withTyped,
} from "./text-history.ts";

const texts = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r\n", "😀"), maxLength: 12 });

describe("the history of a text", () => {
  it("gives the first bytes after every change is undone, and the last ones after every change is done again", () => {
    fc.assert(
      fc.property(texts, fc.array(fc.tuple(texts, fc.boolean()), { maxLength: 20 }), (first, changes) => {
        let history = historyOf(first);
        for (const [text, isTyped] of changes) {
          const change = changeBetween(history.text, text);
          if (change !== undefined) history = isTyped ? withTyped(history, change) : withText(history, text);
          expect(history.text).toBe(text);
        }
        const last = history.text;
        const ended = (step: (from: TextHistory) => TextHistory, from: TextHistory): TextHistory => {
          const next = step(from);
          return next === from ? from : ended(step, next);
        };
        const start = ended(undone, history);
        expect(start.text).toBe(first);
        expect(ended(redone, start).text).toBe(last);
      }),
    );
  });

  it("undoes what was typed in a line at once, and a command by itself", () => {
    let history = historyOf("");
    for (const [at, inserted] of ["g", "e", "t"].entries()) {
      history = withTyped(history, { at, removed: "", inserted });
    }
    history = withText(history, "get all");
    history = withTyped(history, { at: 7, removed: "", inserted: "!" });
    expect(undone(history).text).toBe("get all");
    expect(undone(undone(history)).text).toBe("get");
    expect(undone(undone(undone(history))).text).toBe("");
  });

  it("begins a new change after each line break, and joins what is deleted backwards", () => {
    let history = historyOf("ab");
    history = withTyped(history, { at: 2, removed: "", inserted: "\n" });
    history = withTyped(history, { at: 3, removed: "", inserted: "c" });
    expect(undone(history).text).toBe("ab\n");
    history = historyOf("abc");
    history = withTyped(history, { at: 2, removed: "c", inserted: "" });
    history = withTyped(history, { at: 1, removed: "b", inserted: "" });
    expect(undone(history).text).toBe("abc");
  });

  it("forgets what was undone once there is another change", () => {
    const history = withText(undone(withText(historyOf("a"), "b")), "c");
    expect(redone(history)).toBe(history);
  });
});
