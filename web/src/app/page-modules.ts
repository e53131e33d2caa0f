// Each page loads when it is first opened, so that the first view waits for one page only.
export const PAGE_MODULES = {
  "/": () => import("../services/overview-page.tsx"),
  "/services": () => import("../services/service-list-page.tsx"),
  "/services/:serviceId": () => import("../services/service-page.tsx"),
  "/scan-runs/:scanRunId": () => import("../scans/scan-run-page.tsx"),
  "/endpoints": () => import("../endpoint-search/endpoint-search-page.tsx"),
  "/findings": () => import("../scans/current-findings/findings-page.tsx"),
  "/journeys": () => import("../journeys/list/journey-list-page.tsx"),
  "/journeys/new": () => import("../journeys/new/new-journey-page.tsx"),
  "/journeys/:journeyId": () => import("../journeys/document/journey-page.tsx"),
  "/journeys/:journeyId/edit": () => import("../journeys/build/build-page.tsx"),
  "/journey-runs/:runId": () => import("../journeys/run/journey-run-page.tsx"),
  "/coverage": () => import("../journey-coverage/coverage-page.tsx"),
  "/environments": () => import("../environments/environment-list-page.tsx"),
  "/environments/:environmentId": () => import("../environments/environment-page.tsx"),
  "/api-keys": () => import("../api-keys/api-key-list-page.tsx"),
  "/audit-log": () => import("../api-keys/audit-log-page.tsx"),
  "/limits": () => import("../limits/limits-page.tsx"),
} as const;

/** What most documents need for the first screen, besides the page's own module. */
export const FIRST_PARTS: Partial<Record<keyof typeof PAGE_MODULES, () => Promise<unknown>>> = {
  "/journeys/:journeyId/edit": () =>
    Promise.all([
      import("../journeys/build/visual/journey-steps.tsx"),
      import("../journeys/build/text/check-journey.ts"),
    ]),
};
