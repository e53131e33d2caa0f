import { getEnvironment, listEnvironments } from "@waymark/shared/environments/addresses.ts";
import { apiQuery, PAGE_LIMIT } from "../lib/api-query.ts";

export const ENVIRONMENTS = apiQuery(["environments"], listEnvironments, { query: { limit: PAGE_LIMIT } });

export const environmentQuery = (environmentId: string) =>
  apiQuery(["environment", environmentId], getEnvironment, { params: { environmentId } });
