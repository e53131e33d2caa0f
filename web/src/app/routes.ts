import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import type { ConsolePage, PageParams } from "@waymark/shared/console/schema.ts";
import type { ComponentType } from "react";
import { apiKeysQuery, ownKeysQuery } from "../api-keys/api-queries.ts";
import { TRUST_POLICIES } from "../api-keys/trust-policies/api-queries.ts";
import { ENVIRONMENTS, environmentQuery } from "../environments/api-queries.ts";
import { coverageQuery, DEFAULT_WINDOW } from "../journey-coverage/api-queries.ts";
import { JOURNEYS } from "../journeys/api-queries.ts";
import { firstOfBuildMode, firstOfJourney, firstOfJourneyRun } from "../journeys/first-queries.ts";
import {
  ENVIRONMENT_CHOICES,
  PRINCIPALS,
  secretsQuery,
  SERVICE_CHOICES,
  serviceQuery,
  serviceRunsQuery,
} from "../lib/api-queries.ts";
import type { FirstQuery, Opened } from "../lib/first-queries.ts";
import { hasPermission, isUser } from "../lib/permissions.ts";
import { INVITATIONS, principalQuery, teamQuery } from "../principals/api-queries.ts";
import {
  currentFindingsQuery,
  findingSummaryQuery,
  NO_FILTER,
} from "../scans/current-findings/api-queries.ts";
import { decisionsQuery, NO_DECISION_FILTER } from "../scans/decisions/api-queries.ts";
import { firstOfScanRun } from "../scans/first-queries.ts";
import {
  COVERAGE_TOTALS,
  inventoryQuery,
  mayReadCoverage,
  overviewQuery,
  SERVICES,
} from "../services/api-queries.ts";

/** A page of the console. */
interface Route<Params> {
  /** The title of the document, until the page has a better one, and the page's name in lists of pages. */
  readonly title: string;
  /** The section that the shell marks. */
  readonly section: ConsolePage;
  /** The permissions without which the page shows nothing. */
  readonly needs: readonly Permission[];
  /** True for a section to which nothing links in a session without the permissions. */
  readonly isUnlisted?: true;
  /** Each page loads when it is first opened, so that the first view waits for one page only. */
  readonly load: () => Promise<{ default: ComponentType<Params> }>;
  /**
   * The queries that the page starts with, besides the session. The first script sends them while the scripts of the page still
   * load, and the page's own queries get the responses.
   */
  readonly first?: (opened: Opened<Params>) => readonly FirstQuery[];
}

/** Every page of the console. */
export const ROUTES: { readonly [Page in ConsolePage]: Route<PageParams<Page>> } = {
  "/": {
    title: "Overview",
    section: "/",
    needs: ["services:read"],
    load: () => import("../services/overview/overview-page.tsx"),
    first: ({ search, session }) =>
      search.size === 0 ? [overviewQuery(), ...(mayReadCoverage(session) ? [COVERAGE_TOTALS] : [])] : [],
  },
  "/services": {
    title: "Services",
    section: "/services",
    needs: ["services:read"],
    load: () => import("../services/service-list-page.tsx"),
    first: () => [SERVICES],
  },
  "/services/:serviceId": {
    title: "Service",
    section: "/services",
    needs: ["services:read"],
    load: () => import("../services/service-page.tsx"),
    first: ({ params: { serviceId }, search, session }) => [
      serviceQuery(serviceId),
      serviceRunsQuery(serviceId),
      ...(!search.has("tab") && hasPermission(session, "endpoints:read") ? [inventoryQuery(serviceId)] : []),
    ],
  },
  "/services/:serviceId/description": {
    title: "Description",
    section: "/services",
    needs: ["services:read", "endpoints:read"],
    load: () => import("../services/description-page.tsx"),
    first: ({ params: { serviceId } }) => [serviceQuery(serviceId)],
  },
  "/services/:serviceId/endpoint": {
    title: "Endpoint",
    section: "/services",
    needs: ["services:read", "endpoints:read"],
    load: () => import("../services/endpoint-page.tsx"),
    first: ({ params: { serviceId } }) => [serviceQuery(serviceId)],
  },
  "/scan-runs/:scanRunId": {
    title: "Change",
    section: "/services",
    needs: ["services:read"],
    load: () => import("../scans/scan-run-page.tsx"),
    first: firstOfScanRun,
  },
  "/endpoints": {
    title: "Endpoints",
    section: "/services",
    needs: ["endpoints:read"],
    load: () => import("../endpoint-search/endpoint-search-page.tsx"),
  },
  "/findings": {
    title: "Findings",
    section: "/findings",
    needs: ["endpoints:read"],
    load: () => import("../scans/current-findings/findings-page.tsx"),
    first: ({ search }) =>
      search.size === 0 ? [findingSummaryQuery(NO_FILTER), currentFindingsQuery(NO_FILTER, "")] : [],
  },
  "/decisions": {
    title: "Decisions",
    section: "/findings",
    needs: ["endpoints:read"],
    load: () => import("../scans/decisions/decisions-page.tsx"),
    first: ({ search }) => (search.size === 0 ? [decisionsQuery(NO_DECISION_FILTER)] : []),
  },
  "/journeys": {
    title: "Journeys",
    section: "/journeys",
    needs: ["journeys:read"],
    load: () => import("../journeys/list/journey-list-page.tsx"),
    first: () => [JOURNEYS],
  },
  "/journeys/new": {
    title: "New journey",
    section: "/journeys",
    needs: [],
    load: () => import("../journeys/new/new-journey-page.tsx"),
  },
  "/journeys/:journeyId": {
    title: "Journey",
    section: "/journeys",
    needs: ["journeys:read"],
    load: () => import("../journeys/document/journey-page.tsx"),
    first: firstOfJourney,
  },
  "/journeys/:journeyId/edit": {
    title: "Edit",
    section: "/journeys",
    needs: ["journeys:read"],
    load: () => import("../journeys/build/build-page.tsx"),
    first: firstOfBuildMode,
  },
  "/journey-runs/:runId": {
    title: "Run",
    section: "/journeys",
    needs: ["journeys:read"],
    load: () => import("../journeys/run/journey-run-page.tsx"),
    first: firstOfJourneyRun,
  },
  "/coverage": {
    title: "Coverage",
    section: "/coverage",
    needs: ["journeys:read", "services:read", "endpoints:read"],
    load: () => import("../journey-coverage/coverage-page.tsx"),
    first: ({ search, session }) =>
      search.size === 0
        ? [
            coverageQuery({ serviceId: "", environmentId: "", origin: "", window: DEFAULT_WINDOW }),
            // For the filters.
            SERVICE_CHOICES,
            ...(hasPermission(session, "environments:read") ? [ENVIRONMENT_CHOICES] : []),
          ]
        : [],
  },
  "/environments": {
    title: "Environments",
    section: "/environments",
    needs: ["environments:read"],
    load: () => import("../environments/environment-list-page.tsx"),
    first: () => [ENVIRONMENTS],
  },
  "/environments/:environmentId": {
    title: "Environment",
    section: "/environments",
    needs: ["environments:read"],
    load: () => import("../environments/environment-page.tsx"),
    first: ({ params: { environmentId } }) => [environmentQuery(environmentId), secretsQuery(environmentId)],
  },
  "/api-keys": {
    title: "API keys",
    section: "/api-keys",
    needs: ["api-keys:read"],
    load: () => import("../api-keys/api-key-list-page.tsx"),
    first: ({ search, session }) => (search.size === 0 ? [apiKeysQuery(session)] : []),
  },
  "/my-keys": {
    title: "My keys",
    section: "/api-keys",
    needs: [],
    load: () => import("../api-keys/personal/my-keys-page.tsx"),
    first: ({ session }) => (isUser(session) ? [ownKeysQuery(session)] : []),
  },
  "/trust-policies": {
    title: "Trust policies",
    section: "/api-keys",
    needs: ["trust:read"],
    load: () => import("../api-keys/trust-policies/trust-policy-list-page.tsx"),
    first: () => [TRUST_POLICIES],
  },
  "/audit-log": {
    title: "Audit log",
    section: "/api-keys",
    needs: ["audit:read"],
    load: () => import("../api-keys/audit-log-page.tsx"),
  },
  "/limits": {
    title: "Limits and usage",
    section: "/api-keys",
    needs: [],
    load: () => import("../limits/limits-page.tsx"),
  },
  "/people": {
    title: "People",
    section: "/people",
    needs: ["principals:read"],
    isUnlisted: true,
    load: () => import("../principals/people-page.tsx"),
    first: () => [PRINCIPALS, INVITATIONS],
  },
  "/people/:principalId": {
    title: "Person",
    section: "/people",
    needs: ["principals:read"],
    load: () => import("../principals/person-page.tsx"),
    first: ({ params: { principalId } }) => [principalQuery(principalId)],
  },
  "/teams/:teamId": {
    title: "Team",
    section: "/people",
    needs: ["services:read"],
    load: () => import("../principals/teams/team-page.tsx"),
    first: ({ params: { teamId } }) => [teamQuery(teamId)],
  },
};
