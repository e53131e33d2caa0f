// `resourceConstraints.serviceIds`: ids of services, in any case. Roles for what a team owns have it.

/** True if a service's id is in the list. Anything but a list of ids has none. */
export function includesServiceId(wanted: unknown, serviceId: string | undefined): boolean {
  if (serviceId === undefined || !Array.isArray(wanted)) return false;
  // Almost all are as the database writes them.
  return wanted.includes(serviceId) || idsOf(wanted).includes(serviceId.toLowerCase());
}

/** True if `outer` has every id that `inner` has. */
export function areServiceIdsWithin(inner: unknown, outer: unknown): boolean {
  if (!Array.isArray(inner) || !Array.isArray(outer)) return false;
  const around = new Set(idsOf(outer));
  return inner.every((id: unknown) => typeof id === "string" && around.has(id.toLowerCase()));
}

/** Returns the ids that both lists have. */
export function intersectServiceIds(one: unknown, other: unknown): string[] {
  if (!Array.isArray(one) || !Array.isArray(other)) return [];
  const also = new Set(idsOf(other));
  return idsOf(one).filter((id) => also.has(id));
}

function idsOf(list: readonly unknown[]): string[] {
  return list.flatMap((id) => (typeof id === "string" ? id.toLowerCase() : []));
}
