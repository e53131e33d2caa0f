import type { Operation } from "@waymark/shared/operations/operation.ts";
import { PAGE_LIMIT_MAX } from "@waymark/shared/operations/page-query.ts";
import type { AnyParts, ResultOf } from "@waymark/shared/operations/request.ts";
import type { z } from "zod";
import { type ApiConnection, exchange, jsonRequestOf, understand } from "./api-client.ts";
import { CliError, EXIT_CODES } from "../lib/cli-error.ts";

/** 100,000 items. A server that never ends its list must not hold the command, or fill its memory. */
const PAGES_MAX = 500;

/**
 * Reads a list page by page.
 * @throws {CliError} for a list that does not end, as for every refusal
 */
export async function* readPages<O extends Operation, Page extends { nextCursor?: string | undefined }>(
  connection: ApiConnection,
  declared: O,
  { what, read }: { what: string; read: z.ZodType<Page> } & (ResultOf<O> extends Page ? unknown : never),
  { params = {}, query: further = {} }: Pick<AnyParts, "params" | "query"> = {},
): AsyncGenerator<Page> {
  let cursor: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const query = { ...further, limit: PAGE_LIMIT_MAX, cursor };
    const response = await exchange(connection, jsonRequestOf(declared, what, { params, query }));
    const page = understand(connection, { what, read, response });
    yield page;
    if (page.nextCursor === undefined) return;
    if (page.nextCursor === cursor) break;
    cursor = page.nextCursor;
  }
  throw new CliError(
    EXIT_CODES.unavailable,
    `${what} failed: the list of ${connection.baseUrl} does not end. Is --api-url the address of a Waymark server?`,
  );
}

/** Returns the items of all pages. */
export async function collectItems<Page, Item>(
  pages: AsyncIterable<Page>,
  itemsOf: (page: Page) => readonly Item[],
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of pages) items.push(...itemsOf(page));
  return items;
}
