import type { ApiKeyFilter } from "@waymark/server/api-keys/queries.ts";
import type { ApiKeyFilterFields } from "@waymark/shared/api-keys/schema.ts";

/** Returns the filter of a query with the fields of a request. */
export function filterOf({
  name,
  q,
  status,
  createdBy,
  trustPolicyId,
  ownerPrincipalId,
}: ApiKeyFilterFields): ApiKeyFilter {
  return {
    name: name ?? null,
    q: q ?? null,
    status: status ?? null,
    createdBy: createdBy ?? null,
    trustPolicyId: trustPolicyId ?? null,
    ownerPrincipalId: ownerPrincipalId ?? null,
  };
}
