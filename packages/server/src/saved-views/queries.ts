import { type DatabaseTransactionConnection, ForeignKeyIntegrityConstraintViolationError, sql } from "slonik";
import { z } from "zod";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { TeamSummary } from "@waymark/shared/principals/team-names/schema.ts";
import { SavedView, type SavedViewPage } from "@waymark/shared/saved-views/schema.ts";

const Nothing = z.object({});

/** The user or the team that has a view. */
export type ViewOwner = { principalId: string; teamId: null } | { principalId: null; teamId: string };

const OwnedView = SavedView.extend({ principalId: z.string().nullable() });
/** A view, and the user who has it; null for one of a team. */
export type OwnedView = z.infer<typeof OwnedView>;

const SELECT_VIEWS = sql.fragment`
  SELECT v.id, v.name, v.page, v.query, v.revision, v.updated_at AS "updatedAt", v.principal_id AS "principalId",
         CASE WHEN t.id IS NOT NULL THEN jsonb_build_object('id', t.id, 'slug', t.slug, 'displayName', t.display_name) END AS team
  FROM saved_views v
  LEFT JOIN teams t ON t.organization_id = v.organization_id AND t.id = v.team_id`;

interface Listed {
  organizationId: string;
  page: SavedViewPage | null;
  limit: number;
  /** The view before the first one; null for the newest. */
  afterId: string | null;
}

/** Lists the views of a team or of a user and the user's teams, newest first: up to `limit + 1`, so that the caller sees whether there are more. */
export async function listSavedViews(
  tx: DatabaseTransactionConnection,
  { organizationId, page, limit, afterId }: Listed,
  of: { teamId: string } | { userId: string },
): Promise<readonly OwnedView[]> {
  const isWanted =
    "teamId" in of
      ? sql.fragment`v.team_id = ${of.teamId}`
      : sql.fragment`(v.principal_id = ${of.userId} OR v.team_id IN (
          SELECT m.team_id FROM team_members m WHERE m.organization_id = ${organizationId} AND m.principal_id = ${of.userId}))`;
  return tx.any(sql.type(OwnedView)`
    ${SELECT_VIEWS}
    WHERE v.organization_id = ${organizationId} AND ${isWanted} AND (${page}::text IS NULL OR v.page = ${page})
      AND (${afterId}::uuid IS NULL OR v.id < ${afterId}::uuid)
    ORDER BY v.id DESC
    LIMIT ${limit + 1}`);
}

interface ViewRef {
  organizationId: string;
  savedViewId: string;
}

/** Finds a view, and locks it until the end of the transaction. */
export async function lockSavedView(
  tx: DatabaseTransactionConnection,
  { organizationId, savedViewId }: ViewRef,
): Promise<OwnedView | null> {
  return tx.maybeOne(sql.type(OwnedView)`
    ${SELECT_VIEWS}
    WHERE v.organization_id = ${organizationId} AND v.id = ${savedViewId}
    FOR UPDATE OF v`);
}

const MemberTeam = TeamSummary.extend({ isMember: z.boolean() });

/** Finds a team, and whether a user is a member of it. */
export async function findTeamOfMember(
  tx: DatabaseTransactionConnection,
  { organizationId, teamId, userId }: { organizationId: string; teamId: string; userId: string | null },
): Promise<z.infer<typeof MemberTeam> | null> {
  return tx.maybeOne(sql.type(MemberTeam)`
    SELECT t.id, t.slug, t.display_name AS "displayName", EXISTS (
      SELECT FROM team_members m
      WHERE m.organization_id = t.organization_id AND m.team_id = t.id AND m.principal_id = ${userId}::uuid) AS "isMember"
    FROM teams t
    WHERE t.organization_id = ${organizationId} AND t.id = ${teamId}`);
}

const isOf = ({ principalId, teamId }: ViewOwner) =>
  teamId === null ? sql.fragment`v.principal_id = ${principalId}` : sql.fragment`v.team_id = ${teamId}`;

/** Lets one transaction at a time create or rename views of an owner. */
export async function lockViewsOf(tx: DatabaseTransactionConnection, owner: ViewOwner): Promise<void> {
  await tx.query(sql.type(Nothing)`
    SELECT FROM pg_advisory_xact_lock(hashtextextended('saved views of ' || ${owner.teamId ?? owner.principalId}, 0))`);
}

/** Counts the views of an owner, and says whether another one than this has the name, in any case. */
export async function countViewsOf(
  tx: DatabaseTransactionConnection,
  { organizationId, savedViewId, owner, name }: ViewRef & { owner: ViewOwner; name: string },
): Promise<{ count: number; isNameTaken: boolean }> {
  return tx.one(sql.type(z.object({ count: z.number(), isNameTaken: z.boolean() }))`
    SELECT count(*)::int AS count, coalesce(bool_or(lower(v.name) = lower(${name}) AND v.id <> ${savedViewId}), false) AS "isNameTaken"
    FROM saved_views v
    WHERE v.organization_id = ${organizationId} AND ${isOf(owner)}`);
}

type ViewFields = Pick<SavedView, "name" | "page" | "query">;

/** Stores a view. @throws AppError `not_found` if its team was deleted meanwhile */
export async function insertSavedView(
  tx: DatabaseTransactionConnection,
  { organizationId, savedViewId, owner, ...view }: ViewRef & ViewFields & { owner: ViewOwner },
): Promise<void> {
  try {
    await tx.query(sql.type(Nothing)`
      INSERT INTO saved_views (organization_id, id, principal_id, team_id, name, page, query)
      VALUES (${organizationId}, ${savedViewId}, ${owner.principalId}, ${owner.teamId}, ${view.name}, ${view.page}, ${view.query})`);
  } catch (error) {
    if (!(error instanceof ForeignKeyIntegrityConstraintViolationError)) throw error;
    throw new AppError("not_found", "The team was deleted meanwhile.", { cause: error });
  }
}

export async function updateSavedView(
  tx: DatabaseTransactionConnection,
  { organizationId, savedViewId, ...view }: ViewRef & ViewFields,
): Promise<void> {
  await tx.query(sql.type(Nothing)`
    UPDATE saved_views
    SET name = ${view.name}, page = ${view.page}, query = ${view.query}, revision = revision + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${savedViewId}`);
}

export async function deleteSavedView(
  tx: DatabaseTransactionConnection,
  { organizationId, savedViewId }: ViewRef,
): Promise<void> {
  await tx.query(sql.type(Nothing)`
    DELETE FROM saved_views WHERE organization_id = ${organizationId} AND id = ${savedViewId}`);
}
