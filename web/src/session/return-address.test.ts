import { afterEach, expect, test, vi } from "vitest";
import { takeReturnAddress } from "./return-address.ts";

afterEach(() => vi.unstubAllGlobals());

/** Takes the address that a tab has stored. */
function taken(stored: string | null): string {
  const items = new Map(stored === null ? [] : [["waymark.return-address", stored]]);
  vi.stubGlobal("sessionStorage", {
    getItem: (name: string) => items.get(name) ?? null,
    removeItem: (name: string) => items.delete(name),
  });
  const address = takeReturnAddress();
  expect(items.size).toBe(0);
  return address;
}

test("a sign-in goes back to the page of the console where it began", () => {
  expect(taken("/scan-runs/1?tab=changes#top")).toBe("/scan-runs/1?tab=changes#top");
  expect(taken(null)).toBe("/");
});

test.each([
  "//evil.example",
  "//evil.example/services",
  String.raw`/\evil.example`,
  String.raw`\\evil.example`,
  "https://evil.example/",
  "javascript:alert(1)",
  "data:text/html,x",
  "/\t/evil.example",
  "/\n/evil.example",
  "/\r\\evil.example",
  " //evil.example",
  "",
  "/sign-in",
  "/sign-in/callback/1?code=c",
])("%j is no page to go back to: an open redirect", (stored) => {
  expect(taken(stored)).toBe("/");
});
