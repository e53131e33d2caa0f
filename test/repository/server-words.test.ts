import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";

const TEXTS = [
  "README.md",
  "CHANGELOG.md",
  "docs/*.md",
  "scripts/**/*.ts",
  "{cli,web}/src/**/*.{ts,tsx}",
  "{packages,services}/*/src/**/*.ts",
];
/** Sentences in which "the service" stands for the server: an organization's API does none of this with a journey. */
const SERVER = new RegExp(
  [
    String.raw`\b(?:journeys?|runs?|results?|coverage|document|variant|yaml)\s(?:\w+\s){0,3}in\sthe\sservice\b`,
    String.raw`\b(?:run|coverage)\sof\sthe\sservice\b(?=\s(?:here|has|on)\b)`,
    String.raw`\bto\sthe\sservice"`,
    String.raw`\bthe\sservice\s(?:can\srun|compares|could\snot|has\sno(?:t\sbuilt)?\b|paused|refuses|run|runs|sent|stores|tears)\b`,
  ].join("|"),
  "gi",
);

test("no text calls the server a service, which is an organization's API", () => {
  const files = globSync(TEXTS, { cwd: root, exclude: (name) => /\.test\.tsx?$/.test(name) });
  expect(files.length).toBeGreaterThan(900);
  const found = files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), "utf8");
    return [...text.matchAll(SERVER)].map(([words]) => `${file}: ${words}`);
  });
  expect(found).toEqual([]);
});
