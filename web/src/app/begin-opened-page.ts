import { type ConsolePage, consolePageOf } from "@waymark/shared/console/schema.ts";
import { beginCall } from "../lib/begun-calls.ts";
import { PAGE_MODULES } from "./page-modules.ts";

/** What pages ask the API for first, besides the session: the parts of the address that have a colon are those of the page's own. */
const FIRST_CALLS: Partial<Record<ConsolePage, readonly string[]>> = {
  "/": ["/api/overview"],
  "/services": ["/api/services?trend=20&limit=200"],
  "/services/:serviceId": ["/api/services/:serviceId", "/api/services/:serviceId/scan-runs?limit=200"],
  "/scan-runs/:scanRunId": ["/api/scan-runs/:scanRunId"],
};

/** Loads the page that was opened, the session and the page's first data while the rest of the console still loads. */
export function beginOpenedPage(): void {
  const { pathname } = globalThis.location;
  const session = beginCall("/api/session");
  const page = consolePageOf(pathname);
  if (page === undefined) return;
  // Who renders the page sees the failure.
  PAGE_MODULES[page]().catch(() => undefined);
  session.then((response) => beginFirstCalls(response, page, pathname)).catch(() => undefined);
}

async function beginFirstCalls(response: Response, page: ConsolePage, pathname: string): Promise<void> {
  if (!response.ok) return;
  // For a key that is limited to a service, some pages lead to another one, and the API refuses their calls. To search the text is
  // enough, and the schemas stay out of the first script.
  if ((await response.clone().text()).includes('"serviceId":"')) return;
  for (const call of FIRST_CALLS[page] ?? []) void beginCall(fillIn(call, page, pathname));
}

function fillIn(call: string, page: ConsolePage, pathname: string): string {
  const values = pathname.split("/");
  return page
    .split("/")
    .reduce(
      (filled, part, at) => (part.startsWith(":") ? filled.replace(part, values[at] ?? "") : filled),
      call,
    );
}
