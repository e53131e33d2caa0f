import { listApiKeys } from "@waymark/shared/api-keys/addresses.ts";
import type { Session } from "@waymark/shared/session/schema.ts";
import { apiQuery, PAGE_LIMIT } from "../lib/api-query.ts";

/** The cache key of the list of keys, and of the requests that change keys. */
export const KEYS = ["api-keys"];

/** The keys of the signed-in user. */
export const ownKeysQuery = ({ organizationId, principal }: Pick<Session, "organizationId" | "principal">) =>
  apiQuery([...KEYS, "own"], listApiKeys, {
    query: { organizationId, ownerPrincipalId: principal?.id ?? undefined, limit: PAGE_LIMIT },
  });

export const apiKeysQuery = ({ organizationId }: Pick<Session, "organizationId">) =>
  apiQuery(KEYS, listApiKeys, { query: { organizationId, limit: PAGE_LIMIT } });
