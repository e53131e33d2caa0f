import { describe, expect, it } from "vitest";
import { z } from "zod";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { IdPosition, ItemPosition, listCursor, TimePosition } from "./cursor.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const numbers = listCursor(z.int(), { list: "listNumbers" });

describe("cursors", () => {
  it("lead from one page to the next", () => {
    const { page, nextCursor } = numbers.page([4, 5, 6], 2, (row) => row);
    expect(page).toEqual([4, 5]);
    expect(numbers.read(nextCursor)).toBe(5);
  });

  it("are absent on the last page", () => {
    expect(numbers.page([4, 5], 2, (row) => row).nextCursor).toBeUndefined();
    expect(numbers.page([], 2, (row: number) => row).nextCursor).toBeUndefined();
    expect(numbers.read(undefined)).toBeNull();
  });

  it("keep every microsecond of a time, and every character of a text", () => {
    const position: TimePosition = ["2026-01-31T12:00:00.123456Z", ID];
    const times = listCursor(TimePosition, { list: "listRuns" });
    expect(times.read(times.write(position))).toEqual(position);
    const texts = listCursor(z.string(), { list: "listTexts" });
    const text = 'größe/\u{1f600}\n"\u0001';
    expect(texts.read(texts.write(text))).toBe(text);
  });

  it("are refused by another list, and by the same list of another resource", () => {
    const others = [
      listCursor(z.int(), { list: "listOthers" }),
      numbers.below(ID),
      numbers.below(ID.replace("1", "2")),
    ];
    const all = [numbers, ...others];
    for (const cursors of all) {
      const cursor = cursors.write(1);
      expect(cursors.read(cursor)).toBe(1);
      for (const reader of all.filter((each) => each !== cursors))
        expect(() => reader.read(cursor)).toThrow(AppError);
    }
  });

  it.each<[string, z.ZodType, unknown[]]>([
    ["ids", IdPosition, ["x", 1, null, "", `${ID}0`]],
    ["times", TimePosition, [["0000-01-01T00:00:00Z", ID], ["2026-02-30T00:00:00Z", ID], [ID], "x"]],
    ["items", ItemPosition, [{ chunk: 1 }, { chunk: 1.5, ordinal: 0 }, { chunk: 1e12, ordinal: 0 }, "1.0"]],
  ])("with forged positions of %s are refused", (_name, schema, positions) => {
    const cursors = listCursor<unknown>(schema, { list: "listAny" });
    for (const position of positions) expect(() => cursors.read(cursors.write(position))).toThrow(AppError);
    for (const text of ["", "xxxx", "W10", "bnVsbA", Buffer.from("[1,2").toString("base64url")]) {
      expect(() => cursors.read(text)).toThrow(AppError);
    }
  });
});
