import { describe, expect, it } from "vitest";
import { findDraft, keepDraft, removeDraft } from "./draft.ts";

/** A browser's storage in memory, which is full after this many characters. */
function storage(charactersMax = 1_000) {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    key: (at: number) => [...items.keys()][at] ?? null,
    getItem: (key: string) => items.get(key) ?? null,
    removeItem: (key: string) => void items.delete(key),
    setItem: (key: string, value: string) => {
      if (value.length > charactersMax) throw new DOMException("full", "QuotaExceededError");
      items.set(key, value);
    },
  };
}

const savedAt = "2026-11-23T12:00:00.000Z";

describe("drafts", () => {
  it("belong to a document and the version that they were made from; the newest version's is found", () => {
    const drafts = storage();
    keepDraft(drafts, "one", { version: 9, text: "old", savedAt });
    keepDraft(drafts, "one", { version: 10, text: "new\r\n", savedAt });
    keepDraft(drafts, "other", { version: 11, text: "foreign", savedAt });
    expect(findDraft(drafts, "one")).toEqual({ version: 10, text: "new\r\n", savedAt });
    removeDraft(drafts, "one", 10);
    expect(findDraft(drafts, "one")?.text).toBe("old");
    removeDraft(drafts, "one", 9);
    expect(findDraft(drafts, "one")).toBeUndefined();
  });

  it("are not kept by a browser whose storage is full, and damaged ones are none", () => {
    const drafts = storage(100);
    expect(keepDraft(drafts, "one", { version: 1, text: "x".repeat(200), savedAt })).toBe(false);
    drafts.setItem("waymark.draft.one.1", "{");
    drafts.setItem("waymark.draft.one.2", '{"text":1}');
    expect(findDraft(drafts, "one")).toBeUndefined();
  });
});
