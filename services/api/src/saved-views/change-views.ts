import { type AuditOrigin, insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import {
  countViewsOf,
  deleteSavedView,
  findTeamOfMember,
  insertSavedView,
  lockSavedView,
  lockViewsOf,
  type OwnedView,
  updateSavedView,
  type ViewOwner,
} from "@waymark/server/saved-views/queries.ts";
import { type Actor, denial } from "@waymark/shared/api-keys/authorize.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { TeamSummary } from "@waymark/shared/principals/team-names/schema.ts";
import { SAVED_VIEW_LIMITS } from "@waymark/shared/saved-views/limits.ts";
import type {
  CreateSavedViewRequest,
  SavedView,
  UpdateSavedViewRequest,
} from "@waymark/shared/saved-views/schema.ts";
import { v7 as uuidv7 } from "uuid";
import { refuseCredentials } from "../lib/refuse-credentials.ts";
import { userOf } from "../lib/user-of.ts";
import { visibleServices } from "../lib/visible-services.ts";

interface Change {
  actor: Actor;
  origin: AuditOrigin;
}

/** @throws AppError `validation_failed`, `permission_denied`, `not_found`, `user_required`, `saved_view_name_taken` or `limit_reached` */
export async function createSavedViewAs(
  db: DatabasePool,
  { actor, origin, request }: Change & { request: CreateSavedViewRequest },
): Promise<SavedView> {
  const { organizationId } = actor;
  const { teamId, ...fields } = request;
  refuseCredentials(fields);
  return withOrganization(db, organizationId, async (tx) => {
    await visibleServices(tx, actor, "services:read");
    const owner: ViewOwner =
      teamId === undefined
        ? { principalId: userOf(actor), teamId: null }
        : { principalId: null, teamId: await teamWithViews(tx, actor, teamId) };
    const ref = { organizationId, savedViewId: uuidv7() };
    await assertRoom(tx, { ...ref, owner, name: fields.name, isNew: true });
    await insertSavedView(tx, { ...ref, owner, ...fields });
    const view = existing(await lockSavedView(tx, ref));
    await record(tx, { origin, organizationId, view, action: "saved_view.created" });
    return shown(view);
  });
}

/** @throws AppError `validation_failed`, `permission_denied`, `not_found`, `revision_conflict` or `saved_view_name_taken` */
export async function updateSavedViewAs(
  db: DatabasePool,
  options: Change & { savedViewId: string; revision: number; request: UpdateSavedViewRequest },
): Promise<SavedView> {
  const { actor, origin, savedViewId, revision, request } = options;
  const { organizationId } = actor;
  refuseCredentials(request);
  return withOrganization(db, organizationId, async (tx) => {
    const { view: before, owner } = await ownView(tx, actor, savedViewId);
    if (before.revision !== revision) {
      throw new AppError(
        "revision_conflict",
        `The view was changed: its revision is ${before.revision}, If-Match names ${revision}. Read it again and apply your change to it.`,
      );
    }
    const { name = before.name, page = before.page, query = before.query } = request;
    if (name === before.name && page === before.page && query === before.query) return shown(before);
    const ref = { organizationId, savedViewId };
    if (name !== before.name) await assertRoom(tx, { ...ref, owner, name, isNew: false });
    await updateSavedView(tx, { ...ref, name, page, query });
    const view = existing(await lockSavedView(tx, ref));
    const details = { previousName: before.name };
    await record(tx, { origin, organizationId, view, action: "saved_view.updated", details });
    return shown(view);
  });
}

/** @throws AppError `permission_denied` or `not_found` */
export async function deleteSavedViewAs(
  db: DatabasePool,
  { actor, origin, savedViewId }: Change & { savedViewId: string },
): Promise<void> {
  const { organizationId } = actor;
  await withOrganization(db, organizationId, async (tx) => {
    const { view } = await ownView(tx, actor, savedViewId);
    await deleteSavedView(tx, { organizationId, savedViewId });
    await record(tx, { origin, organizationId, view, action: "saved_view.deleted" });
  });
}

/**
 * Checks that the caller has the views of a team: as a member, or as somebody who may manage teams. To others, there is no such team.
 *
 * @throws AppError `not_found`
 */
export async function teamWithViews(
  tx: DatabaseTransactionConnection,
  actor: Actor,
  teamId: string,
): Promise<string> {
  const team = await findOwnTeam(tx, actor, teamId);
  if (team === null) throw new AppError("not_found", "There is no team with this id.");
  return team.id;
}

/** Finds a team whose views the caller has. */
async function findOwnTeam(
  tx: DatabaseTransactionConnection,
  actor: Actor,
  teamId: string,
): Promise<TeamSummary | null> {
  const { organizationId, userId = null } = actor;
  const team = await findTeamOfMember(tx, { organizationId, teamId, userId });
  const managesTeams = denial(actor, ["teams:manage"], {}) === undefined;
  return team?.isMember === true || managesTeams ? team : null;
}

/** Returns a view without its owner's id. */
export function shown({ id, name, page, query, team, revision, updatedAt }: OwnedView): SavedView {
  return { id, name, page, query, team, revision, updatedAt };
}

/** Finds a view that the caller has. Those of others are as if they did not exist. @throws AppError `permission_denied` or `not_found` */
async function ownView(
  tx: DatabaseTransactionConnection,
  actor: Actor,
  savedViewId: string,
): Promise<{ view: OwnedView; owner: ViewOwner }> {
  await visibleServices(tx, actor, "services:read");
  const view = existing(await lockSavedView(tx, { organizationId: actor.organizationId, savedViewId }));
  const owner: ViewOwner | null =
    view.team === null
      ? ofUser(view.principalId, actor)
      : (await findOwnTeam(tx, actor, view.team.id)) && { principalId: null, teamId: view.team.id };
  return { view, owner: existing(owner) };
}

function ofUser(principalId: string | null, { userId }: Actor): ViewOwner | null {
  return principalId !== null && principalId === userId ? { principalId, teamId: null } : null;
}

function existing<Found>(view: Found | null): Found {
  if (view !== null) return view;
  throw new AppError("not_found", "There is no saved view with this id.");
}

/** @throws AppError `saved_view_name_taken` or `limit_reached` */
async function assertRoom(
  tx: DatabaseTransactionConnection,
  options: Parameters<typeof countViewsOf>[1] & { isNew: boolean },
): Promise<void> {
  await lockViewsOf(tx, options.owner);
  const { count, isNameTaken } = await countViewsOf(tx, options);
  if (isNameTaken) {
    throw new AppError(
      "saved_view_name_taken",
      `Another view has the name “${options.name}”. Choose another one, or update that view.`,
    );
  }
  const { perOwnerMax } = SAVED_VIEW_LIMITS;
  if (options.isNew && count >= perOwnerMax)
    throw new AppError(
      "limit_reached",
      `A user or a team can have ${perOwnerMax} saved views. Remove one first.`,
    );
}

/** Records a change of a team's view. What a person keeps for herself is nobody else's concern. */
async function record(
  tx: DatabaseTransactionConnection,
  event: {
    origin: AuditOrigin;
    organizationId: string;
    view: OwnedView;
    action: "saved_view.created" | "saved_view.updated" | "saved_view.deleted";
    details?: Record<string, string>;
  },
): Promise<void> {
  const { origin, organizationId, view, action, details } = event;
  if (view.team === null) return;
  const { id: savedViewId, name, page, team } = view;
  await insertAuditEvent(tx, {
    ...origin,
    id: uuidv7(),
    organizationId,
    apiKeyId: null,
    action,
    details: { savedViewId, name, page, teamId: team.id, slug: team.slug, ...details },
  });
}
