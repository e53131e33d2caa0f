import { type Actor, authorize, denial } from "@waymark/shared/api-keys/authorize.ts";
import type { AccessedResource } from "@waymark/shared/api-keys/scope-allows.ts";

/** An id that no document has: it meets the scopes that are not limited to one. */
const ANY = "00000000-0000-0000-0000-000000000000";

/** All journeys. A scope that is limited to the resource type alone is for all of them. */
export const EVERY_JOURNEY: AccessedResource = { resourceType: "workflow" };

/**
 * Checks that the actor may read a list of what belongs to journeys and to environments, such as runs.
 *
 * @param named the journey and the environment that limit the list
 * @throws AppError `permission_denied`
 */
export function authorizeJourneyList(
  actor: Actor,
  named: Pick<AccessedResource, "workflowId" | "environmentId">,
): void {
  const isReadable = ["workflow", "environment"].some(
    (resourceType) => denial(actor, ["journeys:read"], { ...named, resourceType }) === undefined,
  );
  if (!isReadable) authorize(actor, "journeys:read", named);
}

/** Whether the actor may read a document. */
export function mayReadJourney(actor: Actor, workflowId: string): boolean {
  return denial(actor, ["journeys:read"], { workflowId }) === undefined;
}

/** The ids of the documents that the actor may read; null if it may read all. Empty if it may read none. */
export function readableJourneys(actor: Actor): string[] | null {
  if (mayReadJourney(actor, ANY)) return null;
  const named = actor.scopes.flatMap(({ workflowId, resourceId }) =>
    [workflowId ?? [], resourceId ?? []].flat(),
  );
  return [...new Set(named)].filter((id) => mayReadJourney(actor, id));
}

/**
 * Like `readableJourneys`, for answers about them.
 *
 * @throws AppError `permission_denied` if it may read none
 */
export function visibleJourneys(actor: Actor): string[] | null {
  const readable = readableJourneys(actor);
  if (readable?.length === 0) authorize(actor, "journeys:read", {});
  return readable;
}
