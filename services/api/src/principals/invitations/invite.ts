import { assertCanGiveRoles } from "@waymark/server/api-keys/delegation.ts";
import { lockKeyChanges } from "@waymark/server/api-keys/revocation/queries.ts";
import { type AuditOrigin, insertAuditEvent, OPERATOR } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { generateInvitationToken } from "@waymark/server/principals/invitation-token.ts";
import {
  deleteInvitation,
  isEmailTaken,
  listInvitations,
  replaceInvitation,
  type StoredInvitation,
} from "@waymark/server/principals/invitations.queries.ts";
import { type Actor, authorize } from "@waymark/shared/api-keys/authorize.ts";
import { INVITATION_FRAGMENT } from "@waymark/shared/console/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import {
  type CreatedInvitation,
  type CreateInvitationRequest,
  INVITATION_LIMITS,
} from "@waymark/shared/principals/invitations/schema.ts";
import { v7 as uuidv7 } from "uuid";
import { lockedCallerGrant } from "../../lib/caller-grant.ts";
import { requireOrganization } from "../../lib/require-organization.ts";
import { assertRoomForPrincipal } from "../change-principal.ts";
import { owningTeam, scopesOfInvited } from "../roles/scopes-of-role.ts";

interface Wanted {
  request: CreateInvitationRequest;
  /** The address of this server, as people know it. */
  baseUrl: string;
}

/**
 * Invites a person, with roles that the caller could grant.
 *
 * @throws AppError `permission_denied`, `not_found` for an unknown role, `email_taken` or `limit_reached`
 */
export async function inviteAs(
  db: DatabasePool,
  { actor, origin, ...wanted }: Wanted & { actor: Actor; origin: AuditOrigin },
): Promise<CreatedInvitation> {
  authorize(actor, "principals:manage", {});
  const { organizationId, apiKeyId } = actor;
  return withOrganization(db, organizationId, async (tx) => {
    const holder = await lockedCallerGrant(tx, actor);
    assertCanGiveRoles(holder, await scopesOfInvited(tx, organizationId, wanted.request.roles));
    return invite(tx, { ...wanted, organizationId, createdBy: apiKeyId, origin });
  });
}

/** Invites a person as the operator. @param db a pool of the database's owner */
export async function inviteAsOperator(
  db: DatabasePool,
  { organizationId, ...wanted }: Wanted & { organizationId: string },
): Promise<CreatedInvitation> {
  await requireOrganization(db, organizationId);
  return withOrganization(db, organizationId, async (tx) => {
    await lockKeyChanges(tx, organizationId, "exclusive");
    // For the error of an unknown role.
    await scopesOfInvited(tx, organizationId, wanted.request.roles);
    return invite(tx, { ...wanted, organizationId, createdBy: null, origin: OPERATOR });
  });
}

async function invite(
  tx: DatabaseTransactionConnection,
  options: Wanted & { organizationId: string; createdBy: string | null; origin: AuditOrigin },
): Promise<CreatedInvitation> {
  const { request, baseUrl, organizationId, createdBy, origin } = options;
  const { email } = request;
  if (await isEmailTaken(tx, { organizationId, email })) throw emailTaken();
  await assertRoomForPrincipal(tx, organizationId);
  const roles: StoredInvitation["roles"] = [];
  for (const { role, serviceNames = null, ownedBy = null } of request.roles) {
    const team = await owningTeam(tx, { organizationId, slug: ownedBy });
    roles.push({ role, serviceNames, ownedBy, ownedByTeamId: team?.id ?? null });
  }
  const { token, tokenHash } = generateInvitationToken();
  const stored = { organizationId, id: uuidv7(), email, roles, tokenHash, createdBy };
  const invitation = await replaceInvitation(tx, { ...stored, days: INVITATION_LIMITS.daysMax });
  // After it, because another invitation for the same address needs no room.
  if ((await listInvitations(tx, organizationId)).length > INVITATION_LIMITS.openMax) {
    throw new AppError(
      "limit_reached",
      `An organization can have ${INVITATION_LIMITS.openMax} open invitations.`,
    );
  }
  const details = { invitationId: invitation.id, email, roles: roles.map(({ role }) => role) };
  await insertAuditEvent(tx, {
    ...origin,
    id: uuidv7(),
    organizationId,
    apiKeyId: null,
    action: "invitation.created",
    details,
  });
  return { ...invitation, url: `${baseUrl}/${INVITATION_FRAGMENT}${token}` };
}

export const emailTaken = () => new AppError("email_taken", "A user has this e-mail address already.");

/** @throws AppError `permission_denied` or `not_found` */
export async function withdrawInvitationAs(
  db: DatabasePool,
  { actor, origin, invitationId }: { actor: Actor; origin: AuditOrigin; invitationId: string },
): Promise<void> {
  authorize(actor, "principals:manage", {});
  const { organizationId } = actor;
  await withOrganization(db, organizationId, async (tx) => {
    const invitation = await deleteInvitation(tx, { organizationId, invitationId });
    if (invitation === null) throw new AppError("not_found", "There is no invitation with this id.");
    await insertAuditEvent(tx, {
      ...origin,
      id: uuidv7(),
      organizationId,
      apiKeyId: null,
      action: "invitation.deleted",
      details: { invitationId: invitation.id, email: invitation.email },
    });
  });
}
