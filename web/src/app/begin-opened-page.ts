import { type ConsolePage, consolePageOf } from "@waymark/shared/console/schema.ts";
import { beginCall } from "../lib/begun-calls.ts";
import { PAGE_MODULES } from "./page-modules.ts";

type Calls = Partial<Record<ConsolePage, readonly string[]>>;
/** What pages ask the API for first, besides the session: the parts of the address that have a colon are those of the page's own. */
const FIRST_CALLS: Calls = {
  "/": ["/api/overview"],
  "/services": ["/api/services?trend=20&limit=200"],
  "/services/:serviceId": ["/api/services/:serviceId", "/api/services/:serviceId/scan-runs?limit=200"],
  "/scan-runs/:scanRunId": ["/api/scan-runs/:scanRunId"],
  "/journeys": ["/api/journeys?limit=200"],
  "/journeys/:journeyId": ["/api/journeys/:journeyId"],
  "/journeys/:journeyId/edit": ["/api/journeys/:journeyId"],
  "/journey-runs/:runId": [
    "/api/journey-runs/:runId",
    "/api/journey-runs/:runId/steps?after=-1&waitSeconds=0",
  ],
  "/environments": ["/api/environments?limit=200"],
  "/environments/:environmentId": ["/api/environments/:environmentId"],
};
/** And what they show without a tab or a filter in the address. */
const UNFILTERED_CALLS: Calls = {
  "/services/:serviceId": ["/api/services/:serviceId/endpoints?limit=2000"],
  "/findings": ["/api/findings/summary?", "/api/findings?limit=200"],
  "/api-keys": ["/api/api-keys?organizationId=:organizationId&limit=200"],
};
/** And then, of a run that is completed, so that nothing of it changes any more. */
const COMPLETED_CALLS: Calls = {
  "/scan-runs/:scanRunId": [
    "/api/scan-runs/:scanRunId/endpoints?limit=100",
    "/api/scan-runs/:scanRunId/findings?limit=2000",
  ],
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
  // enough, and the schemas stay out of the first script. The same goes for keys that are limited to an environment.
  const session = await response.clone().text();
  if (/"(serviceId|environmentId)":"/.test(session)) return;
  const [, organizationId = ""] = /"organizationId":"([^"]+)"/.exec(session) ?? [];
  const begin = (call: string) =>
    beginCall(fillIn(call, page, pathname).replace(":organizationId", organizationId));
  const [first] = (FIRST_CALLS[page] ?? []).map(begin);
  if (globalThis.location.search !== "") return;
  for (const call of UNFILTERED_CALLS[page] ?? []) void begin(call);
  const after = COMPLETED_CALLS[page];
  if (after === undefined || first === undefined) return;
  const run = await (await first).clone().text();
  if (run.includes('"status":"completed"')) for (const call of after) void begin(call);
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
