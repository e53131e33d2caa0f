import { expect, it } from "vitest";
import { createRecentKeys } from "./recent-keys.ts";

it("remembers a key for a quarter of an hour after its last use", () => {
  let now = 0;
  const recent = createRecentKeys(() => now);
  recent.add("a");
  now += 10 * 60_000;
  expect(recent.has("a")).toBe(true);
  recent.add("a");
  now += 14 * 60_000;
  expect(recent.has("a")).toBe(true);
  now += 60_000;
  expect(recent.has("a")).toBe(false);
});

it("forgets a removed key immediately, and the least recently used ones above 10,000", () => {
  const recent = createRecentKeys();
  recent.add("revoked");
  recent.forget("revoked");
  expect(recent.has("revoked")).toBe(false);

  for (let i = 0; i < 10_000; i++) recent.add(`key ${i}`);
  recent.add("key 0");
  recent.add("one more");
  expect(recent.has("key 0")).toBe(true);
  expect(recent.has("key 1")).toBe(false);
  expect(recent.has("one more")).toBe(true);
});
