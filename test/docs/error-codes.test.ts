import { type ErrorCode, ERROR_KINDS } from "@waymark/shared/errors/app-error.ts";
import { expect, it } from "vitest";
import { codesIn, difference, PAGES, readPage, tableRows } from "./support/page.ts";

const PAGE = "docs/errors.md";

it("the table of errors has every code with its status, its retry and its exit code", () => {
  const documented = tableRows(PAGE, ["status", "code"]).map(
    ([status, code = "", again, exitCode]) => `${codesIn(code).join(" ")} (${status}, ${again}, ${exitCode})`,
  );
  const kinds = Object.entries(ERROR_KINDS).map(
    ([code, { httpStatus, retry, exitCode }]) =>
      `${code} (${httpStatus}, ${retry ? "yes" : "no"}, ${exitCode})`,
  );
  expect(difference(`The table in ${PAGE}`, documented, kinds)).toBe("");
});

it.each(PAGES)("%s gives an error's code with the status that it has", (page) => {
  const wrong = [...readPage(page).matchAll(/`([45]\d\d) ([a-z]+(?:_[a-z]+)+)`/g)].flatMap(
    ([, status, code = ""]) => {
      const known = Object.hasOwn(ERROR_KINDS, code) ? ERROR_KINDS[code as ErrorCode].httpStatus : undefined;
      if (known === undefined) return [`${page} names the error ${code}, which the code does not have.`];
      return String(known) === status ? [] : [`${page} says ${status} ${code}: its status is ${known}.`];
    },
  );
  expect(wrong).toEqual([]);
});
