import { REPORT_FORMATS } from "@waymark/journeys/report/formats.ts";
import { expect, it } from "vitest";
import { commandDefinitions } from "../../cli/src/test-support/command-definitions.ts";
import { codesIn, difference, PAGES, readPage, tableRows } from "./support/page.ts";

const PAGE = "docs/journeys.md";
const rows = tableRows(PAGE, ["option", "what it does"]);

it("the table of options of `waymark journey run` has each of them", async () => {
  const documented = rows.flatMap(([cell = ""]) => codesIn(cell)).map((code) => code.split(" ")[0] ?? "");
  const run = (await commandDefinitions()).find(({ name }) => name === "journey run");
  // --workflow is described under "How Arazzo is read".
  const options = run?.options.filter((option) => option !== "--workflow") ?? [];
  const named = documented.map((name) => (options.includes(name) ? name : name.replace(/^--no-/, "--")));
  expect(difference(`The table of options in ${PAGE}`, named, options)).toBe("");
});

it("the table of options names every format of a report", () => {
  const [, meaning = ""] = rows.find(([cell = ""]) => cell.includes("--report")) ?? [];
  const documented = codesIn(meaning).filter((code) => code !== "-");
  expect(difference(`--report in ${PAGE}`, documented, REPORT_FORMATS)).toBe("");
});

it.each(PAGES)("%s shows no option that its command does not have", async (page) => {
  const commands = (await commandDefinitions()).toSorted((a, b) => b.name.length - a.name.length);
  const lines = readPage(page)
    .replaceAll(/\\\n\s*/g, "")
    .matchAll(/\bwaymark ((?:journey (?:schedule )?)?[a-z]+)\b([^\n`|#]*)/g);
  const wrong = [...lines].flatMap(([, name = "", rest = ""]) => {
    const command = commands.find((each) => each.name === name);
    if (command === undefined) return [];
    const used = rest.match(/(?<=\s|\[)--[a-z][a-z-]*/g) ?? [];
    return used
      .filter((option) => option !== "--help" && !command.options.includes(option))
      .map((option) => `${page} gives waymark ${name} the option ${option}, which it does not have.`);
  });
  expect(wrong).toEqual([]);
});
