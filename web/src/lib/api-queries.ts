import { getApiKey, listApiKeys } from "@waymark/shared/api-keys/addresses.ts";
import { listEnvironments, listEnvironmentSecrets } from "@waymark/shared/environments/addresses.ts";
import { listPrincipals } from "@waymark/shared/principals/addresses.ts";
import { listServices, listServiceScanRuns, getService } from "@waymark/shared/services/addresses.ts";
import { listScanRunFindings } from "@waymark/shared/scans/addresses.ts";
import { getSession } from "@waymark/shared/session/addresses.ts";
import type { Session } from "@waymark/shared/session/schema.ts";
import { apiQuery, ITEM_PAGE_LIMIT, PAGE_LIMIT } from "./api-query.ts";

// Queries that pages of several features make.

export const SESSION = apiQuery(["session"], getSession, {});

type Organization = Pick<Session, "organizationId">;

export const apiKeyNamesQuery = ({ organizationId }: Organization) =>
  apiQuery(["api-key-names"], listApiKeys, { query: { organizationId, limit: PAGE_LIMIT } });

export const apiKeyQuery = (apiKeyId: string, { organizationId }: Organization) =>
  apiQuery(["api-key", apiKeyId], getApiKey, { params: { apiKeyId }, query: { organizationId } });

export const SERVICE_CHOICES = apiQuery(["services", "choices"], listServices, {
  query: { limit: PAGE_LIMIT },
});

export const ENVIRONMENT_CHOICES = apiQuery(["environments", "choices"], listEnvironments, {
  query: { limit: PAGE_LIMIT },
});

export const secretsQuery = (environmentId: string) =>
  apiQuery(["environment", environmentId, "secrets"], listEnvironmentSecrets, { params: { environmentId } });

export const serviceQuery = (serviceId: string) =>
  apiQuery(["service", serviceId], getService, { params: { serviceId } });

/** The service's scan runs, newest first. @param branch only the runs of this branch; empty for all */
export const serviceRunsQuery = (serviceId: string, branch = "") =>
  apiQuery(["service", serviceId, "scan-runs", branch], listServiceScanRuns, {
    params: { serviceId },
    query: { limit: PAGE_LIMIT, branch: branch || undefined },
  });

export const findingsQuery = (scanRunId: string) =>
  apiQuery(["scan-run", scanRunId, "findings"], listScanRunFindings, {
    params: { scanRunId },
    query: { limit: ITEM_PAGE_LIMIT },
  });

/** The users and service accounts. The cache keys of all that belongs to people begin alike. */
export const PRINCIPALS = apiQuery(["principals", "list"], listPrincipals, { query: { limit: PAGE_LIMIT } });
