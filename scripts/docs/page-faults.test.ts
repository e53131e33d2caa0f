import { expect, test } from "vitest";
import { root } from "../bootstrap/checkout.mjs";
import { decisionFaults, pageFaults } from "./page-faults.ts";

const page = { file: "docs/page.md", root };
const row = (columns: number) => `|${"x".repeat(columns - 2)}|`;

test("a table may have 120 columns", () => {
  expect(pageFaults(row(120), page)).toEqual([]);
  expect(pageFaults(`\n${row(121)}`, page)).toEqual([
    expect.stringMatching(/^docs\/page\.md:2: a table of 121 /),
  ]);
});

test("a link leads to a file that is there", () => {
  expect(pageFaults("[a](../README.md#x) [b](https://x.example/y) [c](#d) [e](operations.md)", page)).toEqual(
    [],
  );
  expect(pageFaults('[a](gone.md)\n<img src="gone.png">', page)).toEqual([
    "docs/page.md:1: a link to gone.md, which is not there",
    "docs/page.md:2: a link to gone.png, which is not there",
  ]);
});

test("blocks of code are not looked at", () => {
  expect(pageFaults(`\`\`\`\n${row(200)}\n[a](gone.md)\n\`\`\`\n${row(121)}`, page)).toEqual([
    expect.stringMatching(/^docs\/page\.md:5: /),
  ]);
});

test("decisions are numbered without a gap, and begin with their result", () => {
  const good = (number: number) =>
    `# ${number}. Title\n\nStatus: accepted\n\n## Result\n\nIt is so.\n\n## Context\n`;
  expect(
    decisionFaults([
      { name: "0002-b.md", text: good(2) },
      { name: "0001-a.md", text: good(1) },
    ]),
  ).toEqual([]);
  expect(decisionFaults([{ name: "0002-b.md", text: good(2) }])).toEqual([
    expect.stringContaining("the next number is 1"),
    expect.stringContaining('must begin with "# 1. "'),
  ]);
  expect(decisionFaults([{ name: "0001-a.md", text: "# 1. A\n\n## Context\n\n## Result\n" }])).toEqual([
    expect.stringContaining('first section must be "## Result"'),
  ]);
});
