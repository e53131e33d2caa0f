import type { z } from "zod";
import { type ApiConnection, call } from "./api-client.ts";
import { CliError, EXIT_CODES } from "./lib/cli-error.ts";

/** 100,000 items. A server that never ends its list must not hold the command, or fill its memory. */
const PAGES_MAX = 500;

/**
 * Reads a list page by page.
 *
 * @param request.path without a query
 * @throws {CliError} for a list that does not end, as for every refusal
 */
export async function* readPages<Page extends { nextCursor?: string | undefined }>(
  connection: ApiConnection,
  { what, path, schema }: { what: string; path: string; schema: z.ZodType<Page> },
): AsyncGenerator<Page> {
  let cursor: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const after: string = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Page = await call(connection, {
      what,
      method: "GET",
      path: `${path}?limit=200${after}`,
      schema,
    });
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
