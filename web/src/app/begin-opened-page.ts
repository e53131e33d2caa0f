import { consolePageOf } from "@waymark/shared/console/schema.ts";
import { beginCall } from "../lib/begun-calls.ts";
import { type FirstCall, firstCallsOf } from "./first-calls.ts";
import { PAGE_MODULES } from "./page-modules.ts";

/** Loads the page that was opened, the session and the page's first data while the rest of the console still loads. */
export function beginOpenedPage(): void {
  const { pathname, search } = globalThis.location;
  const page = consolePageOf(pathname);
  begin({
    path: "/api/session",
    // For a key that is limited to a service, some pages lead to another one, and the API refuses their calls. The same goes for keys
    // that are limited to an environment.
    following: (session) =>
      page === undefined || /"(serviceId|environmentId)":"/.test(session)
        ? []
        : firstCallsOf({ page, pathname, search, session }),
  });
  // The code that renders the page imports the same module, and so gets the rejection.
  if (page === undefined) return;
  PAGE_MODULES[page]().catch(() => undefined);
}

/** Starts a call, and the calls that its response leads to. The code that takes the response gets a rejection. */
function begin({ path, following }: FirstCall): void {
  const response = beginCall(path);
  if (following === undefined) return;
  response.then((one) => beginFollowing(one, following)).catch(() => undefined);
}

async function beginFollowing(
  response: Response,
  following: NonNullable<FirstCall["following"]>,
): Promise<void> {
  if (!response.ok) return;
  for (const call of following(await response.clone().text())) begin(call);
}
