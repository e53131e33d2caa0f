import { z } from "zod";
import { callApi } from "./api.ts";

/** The largest pages that the api has: of lists, and of a scan's endpoints and findings. */
const PAGE_LIMIT = 200;
export const ITEM_PAGE_LIMIT = 2000;

/** Loads all pages of a list. `field` is the response field that holds the items. */
export async function loadAll<T>(
  item: z.ZodType<T>,
  path: string,
  field: string,
  signal: AbortSignal,
  limit = PAGE_LIMIT,
): Promise<T[]> {
  const schema = z.object({ [field]: z.array(item), nextCursor: z.string().optional() });
  const items: T[] = [];
  const [address = path, given = ""] = path.split("?");
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams(given);
    query.set("limit", String(limit));
    if (cursor !== undefined) query.set("cursor", cursor);
    const page = await callApi(schema, `${address}?${query}`, { signal });
    items.push(...z.array(item).parse(page[field]));
    const next = page["nextCursor"];
    cursor = typeof next === "string" ? next : undefined;
  } while (cursor !== undefined);
  return items;
}
