import { describe, expect, it } from "vitest";
import { AppError } from "../errors/app-error.ts";
import {
  decodeCursor,
  encodeCursor,
  IdCursor,
  itemCursor,
  ItemCursor,
  serviceItemCursor,
  ServiceItemCursor,
  toPage,
} from "./cursor.ts";

const RUN = "11111111-1111-4111-8111-111111111111";

describe("cursors", () => {
  it("lead from one page to the next", () => {
    const rows = [0, 1, 2].map((ordinal) => ({ position: { chunk: 7, ordinal } }));
    const { page, nextCursor } = toPage(rows, 2, itemCursor);
    expect(page).toEqual(rows.slice(0, 2));
    expect(decodeCursor(nextCursor, ItemCursor)).toEqual({ chunk: 7, ordinal: 1 });
  });

  it("name the run of a service's endpoints", () => {
    const position = { chunk: 7, ordinal: 1, scanRunId: RUN };
    const cursor = encodeCursor(serviceItemCursor({ position }));
    expect(decodeCursor(cursor, ServiceItemCursor)).toEqual(position);
  });

  it("are absent on the last page", () => {
    expect(toPage([{ n: 0 }, { n: 1 }], 2, (row) => String(row.n)).nextCursor).toBeUndefined();
    expect(toPage([], 2, String).nextCursor).toBeUndefined();
  });

  it.each([
    "",
    "xxxx",
    ...["1", "-1.0", "1.1e3", "1.99999999999", "1.2.3", "1.", `1.1|${RUN}|`, "1.1|run"].map(encodeCursor),
  ])("are refused as %j if no response contained them", (cursor) => {
    expect(() => decodeCursor(cursor, ItemCursor)).toThrow(AppError);
    expect(() => decodeCursor(cursor, IdCursor)).toThrow(AppError);
    expect(() => decodeCursor(cursor, ServiceItemCursor)).toThrow(AppError);
  });
});
