import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test-support/run-captured.ts";
import { readRows } from "./rows.ts";

test.each(["title;stars\r\na;1\r\n", "\uFEFFtitle;stars\na;1\n"])(
  "a data file with semicolons is refused with what to do: %j",
  async (text) => {
    const folder = await temporaryFolder();
    await folder.write("rows.csv", text);
    const context = { cwd: folder.path, openStdin: () => process.stdin };
    await expect(readRows(context, "rows.csv")).rejects.toThrow("rows.csv:1: the header has no comma");
  },
);
