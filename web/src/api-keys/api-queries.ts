import { listApiKeys } from "@waymark/shared/api-keys/addresses.ts";
import type { Session } from "@waymark/shared/session/schema.ts";
import { apiQuery, PAGE_LIMIT } from "../lib/api-query.ts";

export const apiKeysQuery = ({ organizationId }: Pick<Session, "organizationId">) =>
  apiQuery(["api-keys"], listApiKeys, { query: { organizationId, limit: PAGE_LIMIT } });
