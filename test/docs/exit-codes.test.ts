import { ERROR_KINDS } from "@waymark/shared/errors/app-error.ts";
import { expect, it } from "vitest";
import { JOURNEY_EXIT } from "../../cli/src/commands/journey/exit-codes.ts";
import { EXIT_CODES } from "../../cli/src/lib/cli-error.ts";
import { commandDefinitions } from "../../cli/src/test-support/command-definitions.ts";
import { difference, tableRows } from "./support/page.ts";

it.each([
  ["docs/command.md", EXIT_CODES],
  ["docs/journeys.md", JOURNEY_EXIT],
])("the table of exit codes in %s has each, and no other", (page, codes) => {
  const documented = tableRows(page, ["exit code", "meaning"]).map(([code = ""]) => code);
  const inCode = Object.values(codes).map(String);
  expect(difference(`The table of exit codes in ${page}`, documented, inCode)).toBe("");
});

it("the help of each command names only existing exit codes", async () => {
  const known = new Set(Object.values(EXIT_CODES).map(String));
  const documented = (await commandDefinitions()).flatMap(({ name, details }) => {
    const [, sentence = ""] = /Exit codes?:([^]*)$/.exec(details) ?? [];
    const codes = [...sentence.matchAll(/(?:^|, |; )\s*(\d+) /g)].map((match) => match[1] ?? "");
    return codes.map((code) => ({ name, code }));
  });
  expect(documented.length).toBeGreaterThan(10);
  expect(documented.filter(({ code }) => !known.has(code))).toEqual([]);
});

it("an error of the server ends the command with an exit code that is in the table", () => {
  const documented = tableRows("docs/command.md", ["exit code", "meaning"]).map(([code = ""]) => code);
  const used = Object.values(ERROR_KINDS).map(({ exitCode }) => String(exitCode));
  expect(used.filter((code) => !documented.includes(code))).toEqual([]);
});
