import { readFileSync } from "node:fs";
import path from "node:path";
import { generateApiKey } from "@waymark/server/api-keys/key-format.ts";
import { expect, it } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";

const rule = readFileSync(path.join(root, "deploy/gitleaks.toml"), "utf8");
const docs = readFileSync(path.join(root, "docs/api-keys.md"), "utf8");
const inRule = /^regex = '''(.+)'''$/m.exec(rule)?.[1] ?? "";
const inDocs = /^\\b(wmk_.+)\\b$/m.exec(docs)?.[1] ?? "";
const entropyMin = Number(/^entropy = ([\d.]+)$/m.exec(rule)?.[1]);

/** Bits per character, as gitleaks computes it. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce(
    (sum, count) => sum - (count / text.length) * Math.log2(count / text.length),
    0,
  );
}

it("the gitleaks rule and the documented expression find every key, in code, settings, shells and addresses", () => {
  expect(inRule).toBe(`\\b(${inDocs})\\b`);
  for (let i = 0; i < 2_000; i++) {
    const { rawKey } = generateApiKey();
    for (const text of [
      `API_KEY=${rawKey}`,
      `const key = "${rawKey}";`,
      `curl -H 'Authorization: Bearer ${rawKey}' x`,
      `https://example.com/?key=${rawKey}&x=1`,
      rawKey,
    ]) {
      expect(new RegExp(inRule).exec(text)?.[1]).toBe(rawKey);
      expect(new RegExp(inDocs).exec(text)?.[0]).toBe(rawKey);
    }
    expect(entropy(rawKey)).toBeGreaterThan(entropyMin);
  }
});

it("the gitleaks rule ignores prefixes and placeholders", () => {
  const placeholder = `wmk_${"x".repeat(12)}_${"x".repeat(39)}`;
  expect(new RegExp(inRule).test("wmk_abcdefghijkl")).toBe(false);
  expect(entropy(placeholder)).toBeLessThan(entropyMin);
});
