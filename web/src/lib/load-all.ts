import type { Address } from "@waymark/shared/operations/operation.ts";
import type { AnyParts } from "@waymark/shared/operations/request.ts";
import { z } from "zod";
import { callAny } from "./api.ts";
import { PAGE_LIMIT } from "./api-query.ts";

/** A list of the API: the call that reads its first page, and the field of the response that has the items. */
export interface List<T> {
  address: Address;
  parts?: Pick<AnyParts, "params" | "query">;
  field: string;
  item: z.ZodType<T>;
}

/** Loads all pages of a list. */
export async function loadAll<T>(
  { address, parts: { params, query } = {}, field, item }: List<T>,
  signal: AbortSignal,
): Promise<T[]> {
  const read = z.object({ [field]: z.array(item), nextCursor: z.string().optional() });
  const limit = query?.["limit"] ?? PAGE_LIMIT;
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
