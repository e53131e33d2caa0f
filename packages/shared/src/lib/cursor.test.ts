import { describe, expect, it } from "vitest";
import { AppError } from "../errors/app-error.ts";
import { decodeCursor, encodeCursor, IdCursor, OrdinalCursor, toPage } from "./cursor.ts";

describe("cursors", () => {
  it("lead from one page to the next", () => {
    const { page, nextCursor } = toPage([{ n: 0 }, { n: 1 }, { n: 2 }], 2, (row) => String(row.n));
    expect(page).toEqual([{ n: 0 }, { n: 1 }]);
    expect(decodeCursor(nextCursor, OrdinalCursor)).toBe(1);
  });

  it("are absent on the last page", () => {
    expect(toPage([{ n: 0 }, { n: 1 }], 2, (row) => String(row.n)).nextCursor).toBeUndefined();
    expect(toPage([], 2, String).nextCursor).toBeUndefined();
  });

  it.each(["", "xxxx", encodeCursor("-1"), encodeCursor("1e3"), encodeCursor("99999999999")])(
    "are refused as %j when no answer gave them",
    (cursor) => {
      expect(() => decodeCursor(cursor, OrdinalCursor)).toThrow(AppError);
      expect(() => decodeCursor(cursor, IdCursor)).toThrow(AppError);
    },
  );
});
