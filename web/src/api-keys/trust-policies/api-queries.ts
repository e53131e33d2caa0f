import { listTrustPolicies } from "@waymark/shared/api-keys/trust-policies/addresses.ts";
import { apiQuery, PAGE_LIMIT } from "../../lib/api-query.ts";

export const TRUST_POLICIES = apiQuery(["trust-policies"], listTrustPolicies, {
  query: { limit: PAGE_LIMIT },
});
