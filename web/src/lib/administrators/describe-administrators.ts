import type { Principal } from "@waymark/shared/principals/schema.ts";

const NAMES_MAX = 3;

/** Names the active users who may do everything, a few of them; undefined if there are none besides the reader. */
export function describeAdministrators(
  principals: readonly Principal[],
  ownId: string | null | undefined,
): string | undefined {
  const names = principals
    .filter(
      ({ id, type, disabledAt, roleGrants }) =>
        type === "user" &&
        id !== ownId &&
        disabledAt === null &&
        roleGrants.some(
          ({ role, serviceNames, ownedBy }) =>
            role === "administrator" && serviceNames === null && ownedBy === null,
        ),
    )
    .map(({ displayName }) => displayName);
  const more = names.length - NAMES_MAX;
  const named = more > 0 ? [...names.slice(0, NAMES_MAX), `${more} more`] : names;
  const last = named.at(-1);
  return named.length < 2 ? last : `${named.slice(0, -1).join(", ")} or ${last}`;
}
