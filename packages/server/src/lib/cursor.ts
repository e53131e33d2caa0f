import { z } from "zod";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { IsoDateTime } from "@waymark/shared/lib/schema.ts";

/**
 * The cursors of one list. A cursor holds the values of the sort key of a page's last item, so that the next page is complete
 * even if that item was deleted. It also names its list: in another one, its values would mean something else.
 */
export interface ListCursor<Position> {
  /** @throws AppError `validation_failed` for a cursor that is not of this list */
  read(cursor: string | undefined): Position | null;
  /** Splits `limit + 1` rows into a page and, if there are more rows, the next page's cursor. */
  page<Row>(rows: readonly Row[], limit: number, positionOf: (row: Row) => Position): Page<Row>;
  write(position: Position): string;
  /** The cursors of the same list below this resource, such as the runs of one service. */
  below(parentId: string): ListCursor<Position>;
}

interface Page<Row> {
  page: readonly Row[];
  nextCursor: string | undefined;
}

const Content = z.tuple([z.string(), z.string(), z.unknown()]);

/**
 * Defines the cursors of a list.
 *
 * @param options.list the operation's id
 * @param options.name the query field of the cursor
 */
export function listCursor<Position>(
  position: z.ZodType<Position>,
  { list, name = "cursor", parentId = "" }: { list: string; name?: string; parentId?: string },
): ListCursor<Position> {
  const write = (at: Position): string =>
    Buffer.from(JSON.stringify([`${list}.${name}`, parentId, at]), "utf8").toString("base64url");
  return {
    write,
    read(cursor) {
      if (cursor === undefined) return null;
      const content = Content.safeParse(parseJson(Buffer.from(cursor, "base64url").toString("utf8")));
      const [ofList, ofParent, value] = content.data ?? [];
      const at = position.safeParse(value);
      if (ofList === `${list}.${name}` && ofParent === parentId && at.success) return at.data;
      const message = "is not a cursor of this list: use the nextCursor of a response unchanged";
      throw new AppError("validation_failed", `${name} ${message}.`, {
        data: { details: [{ path: name, message }] },
      });
    },
    page(rows, limit, positionOf) {
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const more = rows.length > limit && last !== undefined;
      return { page, nextCursor: more ? write(positionOf(last)) : undefined };
    },
    below: (id) => listCursor(position, { list, name, parentId: id.toLowerCase() }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Positions by id: the newest has the greatest. */
export const IdPosition = z.guid();

/** Positions by a time with microseconds, and by id for equal times. */
export const TimePosition = z.tuple([IsoDateTime, z.guid()]);
export type TimePosition = z.infer<typeof TimePosition>;

/** Positions in the chunks of a run's content, which never changes. */
export const ItemPosition = z.strictObject({
  chunk: z.int().min(0).max(999_999_999),
  ordinal: z.int().min(-1).max(999_999_999),
});
export type ItemPosition = z.infer<typeof ItemPosition>;
