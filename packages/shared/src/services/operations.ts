import { z } from "zod";
import { optionalFlag, optionalWholeNumber } from "../lib/query-fields.ts";
import { Uuid, text } from "../lib/schema.ts";
import { PageQuery } from "../operations/page-query.ts";
import { ItemPageQuery } from "../scans/item-page-query.ts";
import { BRANCH_CHARS_MAX, SCAN_LIMITS } from "../scans/limits.ts";
import { ScanRun, ScanRunPage, ServiceEndpointPage } from "../scans/schema.ts";
import { BranchName } from "../scans/source/schema.ts";
import { ServiceFilterFields } from "./filter/schema.ts";
import { OVERVIEW_ROWS, OVERVIEW_ROWS_MAX, Overview } from "./overview/schema.ts";
import { ScannedPullRequestList } from "./pull-requests/schema.ts";
import {
  SERVICE_CHANGES_MAX,
  Service,
  ServiceChangePage,
  ServicePage,
  ServiceUpdate,
  TREND_RUNS_MAX,
} from "./schema.ts";
import { NoContent, operation } from "../operations/operation.ts";
import * as addresses from "./addresses.ts";

/** Each change is a comparison of two runs, which this request makes: 200 would take seconds. */
const ChangesQuery = PageQuery.extend({
  limit: optionalWholeNumber({ min: 1, max: SERVICE_CHANGES_MAX, default: SERVICE_CHANGES_MAX }),
});

const Params = z.object({ serviceId: Uuid });

const ServicesQuery = PageQuery.extend({
  name: text({ min: 1, max: SCAN_LIMITS.serviceNameMax }).optional().meta({
    description: "Only the service with exactly this name or alias, also if it is archived.",
  }),
  archived: optionalFlag().meta({ description: "true lists archived services, and no others." }),
  ...ServiceFilterFields.shape,
  trend: optionalWholeNumber({ min: 0, max: TREND_RUNS_MAX, default: 0 }).meta({
    description: "The number of last runs in each service's `trend`. 0: no trend.",
  }),
});

const RunsQuery = PageQuery.extend({
  branch: text({ min: 1, max: BRANCH_CHARS_MAX }).optional().meta({
    description: "Only runs whose client named this branch in Waymark-Branch.",
  }),
});

export const listServiceChanges = operation({
  id: "listServiceChanges",
  ...addresses.listServiceChanges,
  summary: "List a service's changes",
  description:
    "Newest first by the time of the scan: the promoted runs whose endpoints, findings or description differ from those of the promoted run before.",
  tag: "services",
  access: { needs: ["endpoints:read"], within: ["service"] },
  params: z.object({ serviceId: Uuid }),
  query: ChangesQuery,
  responses: { 200: ServiceChangePage },
});

export const getOverview = operation({
  id: "getOverview",
  ...addresses.getOverview,
  summary: "Read what needs attention",
  description:
    "Services that need attention, new services, keys that expire soon or were refused lately, and totals of all current runs. " +
    "Archived services are left out. A key whose scope is limited to services gets these services only. With `label` or `owner`, keys and journeys " +
    "are those of all services. What the user of the key has snoozed is left out.",
  tag: "services",
  access: { needs: ["services:read"], within: ["service"], resourceType: "service", isFiltered: true },
  query: z.strictObject({
    rows: optionalWholeNumber({ min: 1, max: OVERVIEW_ROWS_MAX, default: OVERVIEW_ROWS }).describe(
      "The most rows of each list.",
    ),
    snoozed: optionalFlag().meta({
      description:
        "true lists and counts what the user of the calling key has snoozed, and nothing else. Numbers of the whole organization stay as they are.",
    }),
    ...ServiceFilterFields.shape,
  }),
  responses: { 200: Overview },
});

export const listPullRequests = operation({
  id: "listPullRequests",
  ...addresses.listPullRequests,
  summary: "List the pull requests that were scanned lately",
  description:
    "The last scan of each pull request of the last days, for each service, with what it would break, newest first. Waymark knows of pull requests by " +
    "their scans only: one that was closed without being merged stays in the list until its last scan is too old. A key whose scope is limited to " +
    "services gets those of these services.",
  tag: "services",
  access: { needs: ["endpoints:read"], within: ["service"], resourceType: "service", isFiltered: true },
  query: z.strictObject({ ...ServiceFilterFields.shape }),
  responses: { 200: ScannedPullRequestList },
});

export const listServices = operation({
  id: "listServices",
  ...addresses.listServices,
  summary: "List services",
  description:
    "Newest first, without archived ones. A key whose scope is limited to services gets these services only.",
  tag: "services",
  access: { needs: ["services:read"], within: ["service"], resourceType: "service", isFiltered: true },
  query: ServicesQuery,
  responses: { 200: ServicePage },
});

export const getService = operation({
  id: "getService",
  ...addresses.getService,
  summary: "Read a service",
  tag: "services",
  access: { needs: ["services:read"], within: ["service"] },
  params: Params,
  responses: { 200: Service },
});

export const updateService = operation({
  id: "updateService",
  ...addresses.updateService,
  summary: "Change a service",
  description:
    "Sets its names, labels, links and default branch, archives or restores it. What is left out stays as it is. Scans under its aliases are " +
    "its scans, and a key that is limited to one of its names may access it. An archived service takes scans as before.",
  tag: "services",
  access: { needs: ["services:update"], within: ["service"] },
  params: Params,
  body: ServiceUpdate,
  responses: { 200: Service },
  errors: [409, 413, 415],
});

export const deleteService = operation({
  id: "deleteService",
  ...addresses.deleteService,
  summary: "Delete a service",
  description:
    "With all of its scans, changes, approvals and badges, for ever. From the response on, nobody finds it, and its names are free: a scan " +
    "under one of them creates a new service. A worker deletes the stored data afterwards. A session must have signed in within the last 15 minutes.",
  tag: "services",
  access: { needs: ["services:delete"], within: ["service"] },
  needsRecentSignIn: true,
  params: Params,
  query: z.strictObject({
    name: text({ min: 1, max: SCAN_LIMITS.serviceNameMax }).meta({
      description: "The present name of the service, which confirms that it is the one.",
    }),
  }),
  responses: { 204: NoContent },
});

export const getCurrentScanRun = operation({
  id: "getCurrentScanRun",
  ...addresses.getCurrentScanRun,
  summary: "Read the current run of a service or of a branch",
  description:
    "Without `branch`, and for the default branch: the newest promoted run. For every other branch: its newest completed run that is " +
    "not of a pull request. 404 if there is none.",
  tag: "services",
  access: { needs: ["services:read"], within: ["service"] },
  params: Params,
  query: z.strictObject({
    branch: BranchName.optional().meta({ description: "The name of a branch, as scans have it." }),
  }),
  responses: { 200: ScanRun },
});

export const listServiceScanRuns = operation({
  id: "listServiceScanRuns",
  ...addresses.listServiceScanRuns,
  summary: "List a service's scan runs",
  description:
    "Newest first, by the time of the scan: a late one, with an earlier Scanned-At, is where it belongs.",
  tag: "services",
  access: { needs: ["services:read"], within: ["service"] },
  params: Params,
  query: RunsQuery,
  responses: { 200: ScanRunPage },
});

export const listServiceEndpoints = operation({
  id: "listServiceEndpoints",
  ...addresses.listServiceEndpoints,
  summary: "List a service's current endpoints",
  description:
    "The endpoints of its current run, by path and method, with when each was first and last seen. If another run becomes current " +
    "between two pages, the next page is of that run.",
  tag: "services",
  access: { needs: ["endpoints:read"], within: ["service"] },
  params: Params,
  query: ItemPageQuery,
  responses: { 200: ServiceEndpointPage },
});
