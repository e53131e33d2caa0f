import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { canRewriteLines, guardOutput, hasColors } from "./output.ts";

const stream = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY });

describe("colours", () => {
  test.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: "1" }, false],
    [true, { NO_COLOR: "" }, true],
    [true, { TERM: "dumb" }, false],
    [false, { FORCE_COLOR: "1" }, true],
    [false, { FORCE_COLOR: "true" }, true],
    [false, { FORCE_COLOR: "" }, false],
    [true, { FORCE_COLOR: "0" }, false],
    [true, { FORCE_COLOR: "false" }, false],
    [true, { FORCE_COLOR: "1", NO_COLOR: "1", TERM: "dumb" }, true],
  ])("on a terminal: %s, with %j: %s", (isTTY, env, expected) => {
    expect(hasColors(stream(isTTY), env)).toBe(expected);
  });

  test("are printed if they are forced, and nothing else is", () => {
    const output = stream(false);
    guardOutput(output, { FORCE_COLOR: "1" });
    output.write("\u001b[31mred\u001b[39m \u001b[5m\u0007");
    expect(String(output.read())).toBe(`\u001b[31mred\u001b[39m ${String.raw`\u{1b}[5m\u{7}`}`);
  });
});

test("lines are replaced only on a terminal that is not dumb", () => {
  expect(canRewriteLines(stream(true), {})).toBe(true);
  expect(canRewriteLines(stream(true), { TERM: "dumb" })).toBe(false);
  expect(canRewriteLines(stream(false), { FORCE_COLOR: "1" })).toBe(false);
});
