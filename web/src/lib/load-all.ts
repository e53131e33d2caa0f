import type { Address } from "@waymark/shared/operations/operation.ts";
import type { AnyParts } from "@waymark/shared/operations/request.ts";
import { z } from "zod";
import { callAny } from "./api.ts";

/** The largest pages that the api has: of lists, and of a scan's endpoints and findings. */
const PAGE_LIMIT = 200;
export const ITEM_PAGE_LIMIT = 2000;

/** A list of the API: the operation that reads a page of it, and the field of its response that has the items. */
export interface List<T> {
  address: Address;
  parts?: Pick<AnyParts, "params" | "query">;
  field: string;
  item: z.ZodType<T>;
  limit?: number;
}

/** Loads all pages of a list. */
export async function loadAll<T>(
  { address, parts: { params, query } = {}, field, item, limit = PAGE_LIMIT }: List<T>,
  signal: AbortSignal,
): Promise<T[]> {
  const read = z.object({ [field]: z.array(item), nextCursor: z.string().optional() });
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const parts = { ...(params && { params }), query: { ...query, limit, cursor } };
    const page = await callAny(address, parts, { signal, read });
    items.push(...z.array(item).parse(page[field]));
    const next = page["nextCursor"];
    cursor = typeof next === "string" ? next : undefined;
  } while (cursor !== undefined);
  return items;
}
