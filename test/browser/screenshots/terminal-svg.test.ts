import { DOMParser } from "@xmldom/xmldom";
import { expect, test } from "vitest";
import { terminalSvg } from "./terminal-svg.ts";

function linesOf(output: string): (string | undefined)[] {
  const document = new DOMParser().parseFromString(terminalSvg(output, "A title"), "image/svg+xml");
  return [...document.getElementsByTagName("text")].map((line) =>
    line.textContent?.replaceAll("\u00a0", " "),
  );
}

test("a picture has every line as text, in its last state, with colours as attributes", () => {
  const output =
    "$ waymark <x> & y\r\n\u001b[32m✓\u001b[39m good\r\n\u001b[2mrunning…\u001b[22m\r\u001b[2Kdone\r\n";
  expect(linesOf(output)).toEqual(["$ waymark <x> & y", "✓ good", "done"]);
  expect(terminalSvg(output, "A title")).toContain('<tspan fill="#7ee787">✓</tspan>\u00a0good');
});

test("a long line is broken as a terminal breaks it, and keeps its colour", () => {
  const output = `\u001b[31m${"a".repeat(100)}${"b".repeat(3)}\u001b[39mc`;
  expect(linesOf(output)).toEqual(["a".repeat(100), "bbbc"]);
  expect(terminalSvg(output, "")).toContain('<tspan fill="#ff7b72">bbb</tspan>c');
});

test("blanks are kept", () => {
  expect(terminalSvg("a   b", "")).toContain(">a\u00a0\u00a0\u00a0b<");
});

test("a style that the pictures don't know is an error", () => {
  expect(() => terminalSvg("\u001b[35mpurple", "")).toThrow("unknown here: 35");
});
