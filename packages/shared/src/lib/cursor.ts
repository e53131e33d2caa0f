import { z } from "zod";
import { AppError } from "../errors/app-error.ts";

/** Encodes the position of a page's last item as an opaque text. */
export function encodeCursor(position: string): string {
  return Buffer.from(position, "utf8").toString("base64url");
}

/** @throws AppError `validation_failed` for an invalid cursor */
export function decodeCursor<T>(cursor: string | undefined, schema: z.ZodType<T>): T | null {
  if (cursor === undefined) return null;
  const result = schema.safeParse(Buffer.from(cursor, "base64url").toString("utf8"));
  if (result.success) return result.data;
  const message = "is not a cursor of this list: use the nextCursor of a response unchanged";
  throw new AppError("validation_failed", `cursor ${message}.`, {
    data: { details: [{ path: "cursor", message }] },
  });
}

/** Positions in lists of chunks: the chunk, and the item in it. */
export const ItemCursor = z
  .string()
  .regex(/^[0-9]{1,9}\.[0-9]{1,9}$/)
  .transform((position) => {
    const [chunk, ordinal] = position.split(".").map(Number);
    return { chunk: chunk ?? 0, ordinal: ordinal ?? 0 };
  });

export function itemCursor({ position }: { position: { chunk: number; ordinal: number } }): string {
  return `${position.chunk}.${position.ordinal}`;
}

/** Positions in a service's endpoints. They name the run, so that the pages of one list are of one run, also if another becomes current. */
export const ServiceItemCursor = z
  .string()
  .transform((position) => position.split("|"))
  .pipe(z.tuple([ItemCursor, z.guid()]))
  .transform(([item, scanRunId]) => ({ ...item, scanRunId }));

export function serviceItemCursor(row: {
  position: { chunk: number; ordinal: number; scanRunId: string };
}): string {
  return `${itemCursor(row)}|${row.position.scanRunId}`;
}

/** Positions by id. */
export const IdCursor = z.guid();

/** Splits `limit + 1` rows into a page and, if there are more rows, the next page's cursor. */
export function toPage<Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => string,
): { page: readonly Row[]; nextCursor: string | undefined } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { page, nextCursor: more ? encodeCursor(positionOf(last)) : undefined };
}
