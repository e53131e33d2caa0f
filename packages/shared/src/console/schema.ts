import type { ParamNames } from "../lib/schema.ts";

/**
 * The addresses of the console's pages. The api serves the console at each of them, and the console shows the first one that fits.
 */
export const CONSOLE_PAGES = [
  "/",
  "/services",
  "/services/:serviceId",
  "/services/:serviceId/description",
  "/services/:serviceId/endpoint",
  "/scan-runs/:scanRunId",
  "/endpoints",
  "/findings",
  "/decisions",
  "/journeys",
  "/journeys/new",
  "/journeys/:journeyId",
  "/journeys/:journeyId/edit",
  "/journey-runs/:runId",
  "/coverage",
  "/environments",
  "/environments/:environmentId",
  "/api-keys",
  "/my-keys",
  "/trust-policies",
  "/audit-log",
  "/limits",
  "/people",
  "/people/:principalId",
  "/teams/:teamId",
] as const;
export type ConsolePage = (typeof CONSOLE_PAGES)[number];

/** The page with an address's path, which may end in a slash; undefined if there is none. */
export function consolePageOf(path: string): ConsolePage | undefined {
  const given = path.replace(/\/$/, "").split("/");
  return CONSOLE_PAGES.find((page) => {
    const wanted = page.replace(/\/$/, "").split("/");
    return (
      wanted.length === given.length &&
      wanted.every((part, at) => (part.startsWith(":") ? given[at] !== "" : part === given[at]))
    );
  });
}

/** The parameters of a page's address. */
export type PageParams<Page extends string> = { readonly [Name in ParamNames<Page>]: string };

/** Returns the parameters that the path of a page's address has. */
export function pageParamsOf<Page extends ConsolePage>(page: Page, path: string): PageParams<Page> {
  const given = path.split("/");
  const params = page
    .split("/")
    .flatMap((part, at) => (part.startsWith(":") ? [[part.slice(1), decode(given[at])]] : []));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are those of the page
  return Object.fromEntries(params) as PageParams<Page>;
}

/** Decodes a part of a path. A part that is not validly encoded names nothing, and stays as it is. */
function decode(part = ""): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The page to which an identity provider sends a browser back. */
export const SIGN_IN_CALLBACK = "/sign-in/callback/:identityProviderId";

/** The addresses of the pages for signing in, which the console shows outside of its frame. */
export const SIGN_IN_PAGES = ["/sign-in", SIGN_IN_CALLBACK] as const;

/** The page that a link to a run of a journey opens, outside of the console's frame. The token is its fragment. */
export const SHARED_RUN_PAGE = "/shared/run";

/** The beginning of the fragment of an invitation's link. The token follows: no server and no `Referer` gets a fragment. */
export const INVITATION_FRAGMENT = "#invitation=";
