import { type ConsolePage, pageParamsOf } from "@waymark/shared/console/schema.ts";
import type { Session } from "@waymark/shared/session/schema.ts";
import type { FirstQuery } from "../lib/first-queries.ts";
import { hasPermission, isLimited } from "../lib/permissions.ts";
import { ROUTES } from "./routes.ts";

/**
 * Returns the queries that a page starts with in a session. None for a session that may not see the page, or whose scopes are limited
 * to a service or an environment: some pages lead it to another page, and the API refuses their queries.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the route takes the parameters of the same page
export function firstQueriesOf<Page extends ConsolePage>(
  page: Page,
  opened: { pathname: string; search: string; session: Session },
): readonly FirstQuery[] {
  const { pathname, search, session } = opened;
  const { needs, first } = ROUTES[page];
  if (first === undefined || isLimited(session) || !needs.every((one) => hasPermission(session, one)))
    return [];
  return first({ params: pageParamsOf(page, pathname), search: new URLSearchParams(search), session });
}
