import { type ConsolePage, consolePageOf, SHARED_RUN_PAGE } from "@waymark/shared/console/schema.ts";
import { requestOf } from "@waymark/shared/operations/request.ts";
import { SESSION } from "../lib/api-queries.ts";
import { pathOfAddress } from "../lib/base-path.ts";
import { beginCall } from "../lib/begun-calls.ts";
import { type FirstQuery, leadingTo } from "../lib/first-queries.ts";
import { firstQueriesOf } from "./first-queries-of.ts";
import { ROUTES } from "./routes.ts";

/** Loads the page that was opened, the session and the page's first data while the rest of the console still loads. */
export function beginOpenedPage(): void {
  const { search } = globalThis.location;
  const pathname = pathOfAddress(globalThis.location.pathname);
  // It needs no session, and sends its token only once.
  if (pathname === SHARED_RUN_PAGE) return;
  const page = consolePageOf(pathname);
  const begun = begin(
    leadingTo(SESSION, (session) =>
      page === undefined ? [] : firstQueriesOf(page, { pathname, search, session }),
    ),
  );
  // The page's answers are requested before its files: they would wait until a connection is free. The session is mostly there already,
  // because the page's header preloads it. The code that renders the page imports the same module, and so gets the rejection.
  if (page !== undefined) begun.then(() => loadPage(page)).catch(() => undefined);
}

async function loadPage(page: ConsolePage): Promise<void> {
  await ROUTES[page].load();
}

/** Sends a query, and the queries that its response leads to. The code that takes the response gets a rejection. */
async function begin(query: FirstQuery): Promise<void> {
  const response = beginCall(requestOf(query.address, query.parts).path, query);
  if (query.following === undefined) return;
  await response.then((one) => beginFollowing(one, query)).catch(() => undefined);
}

async function beginFollowing(response: Response, query: FirstQuery): Promise<void> {
  if (!response.ok) return;
  for (const next of query.following?.(await response.clone().json()) ?? []) void begin(next);
}
