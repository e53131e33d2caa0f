import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";

const TYPES = { user: "a person", service_account: "a service account" } as const;

/**
 * Describes a key's owner in the words of the form for keys: `a person`, with the name and the id if they are known.
 */
export function describeOwner(
  owner: Pick<ApiKey, "ownerPrincipalType" | "ownerPrincipalId" | "ownerDisplayName">,
): string {
  const { ownerPrincipalType: type, ownerPrincipalId: id, ownerDisplayName: name } = owner;
  const known = [name, id].filter((part) => part !== null).join(", ");
  if (type === null) return known === "" ? "not recorded" : known;
  return known === "" ? TYPES[type] : `${TYPES[type]}, ${known}`;
}
