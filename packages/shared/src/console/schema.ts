/**
 * The addresses of the console's pages. The api serves the console at each of them, and the console shows the first one that fits.
 */
export const CONSOLE_PAGES = [
  "/",
  "/services",
  "/services/:serviceId",
  "/scan-runs/:scanRunId",
  "/endpoints",
  "/findings",
  "/journeys",
  "/journeys/new",
  "/journeys/:journeyId",
  "/journeys/:journeyId/edit",
  "/journey-runs/:runId",
  "/coverage",
  "/environments",
  "/environments/:environmentId",
  "/api-keys",
  "/audit-log",
  "/limits",
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
