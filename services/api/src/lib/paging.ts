import { z } from "zod";

export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 200;

/** `limit` and `cursor` of every list. A cursor is opaque to callers. */
export const PageQuery = z.strictObject({
  limit: z.coerce
    .number(`must be a whole number from 1 to ${PAGE_LIMIT_MAX}`)
    .int()
    .min(1)
    .max(PAGE_LIMIT_MAX)
    .default(PAGE_LIMIT_DEFAULT),
  cursor: z
    .string()
    .max(200)
    .optional()
    .meta({ description: "The nextCursor of the previous page. Omit it for the first page." }),
});
export type PageQuery = z.infer<typeof PageQuery>;
