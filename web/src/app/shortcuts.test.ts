import { expect, test } from "vitest";
import { shortcutOf } from "./shortcuts.ts";

const NO_OTHER = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
const [ON, OFF] = [{ singleKeys: true }, { singleKeys: false }];

test("Ctrl-K and Command-K are shortcuts everywhere, also with Caps Lock, and not with a third key", () => {
  expect(shortcutOf({ ...NO_OTHER, key: "k", ctrlKey: true }, OFF)).toBe("goTo");
  expect(shortcutOf({ ...NO_OTHER, key: "K", metaKey: true }, OFF)).toBe("goTo");
  expect(shortcutOf({ ...NO_OTHER, key: "k", ctrlKey: true, shiftKey: true }, ON)).toBeUndefined();
  expect(shortcutOf({ ...NO_OTHER, key: "k" }, ON)).toBeUndefined();
});

test("/ and ? are shortcuts on every layout, unless they are switched off or pressed with Ctrl or Alt", () => {
  expect(shortcutOf({ ...NO_OTHER, key: "/" }, ON)).toBe("search");
  // Shift and 7 on a German keyboard.
  expect(shortcutOf({ ...NO_OTHER, key: "/", shiftKey: true }, ON)).toBe("search");
  expect(shortcutOf({ ...NO_OTHER, key: "?", shiftKey: true }, ON)).toBe("help");
  for (const key of ["/", "?"]) {
    expect(shortcutOf({ ...NO_OTHER, key }, OFF)).toBeUndefined();
    expect(shortcutOf({ ...NO_OTHER, key, ctrlKey: true }, ON)).toBeUndefined();
    expect(shortcutOf({ ...NO_OTHER, key, altKey: true }, ON)).toBeUndefined();
  }
});
