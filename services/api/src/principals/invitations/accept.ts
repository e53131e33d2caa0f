import { createKey } from "@waymark/server/api-keys/create-key.ts";
import { assertCanGiveRoles } from "@waymark/server/api-keys/delegation.ts";
import { lockKeyChanges } from "@waymark/server/api-keys/revocation/queries.ts";
import { latestExpiry } from "@waymark/server/api-keys/validate-new-key.ts";
import { insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { parseInvitationToken } from "@waymark/server/principals/invitation-token.ts";
import {
  findInvitingOrganization,
  isEmailTaken,
  type StoredInvitation,
  takeInvitation,
} from "@waymark/server/principals/invitations.queries.ts";
import { insertPrincipal } from "@waymark/server/principals/queries.ts";
import { insertRoleGrant } from "@waymark/server/principals/roles.queries.ts";
import { findTeam } from "@waymark/server/principals/teams.queries.ts";
import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { type ApiKey, EVERY_PERMISSION } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { TeamSummary } from "@waymark/shared/principals/team-names/schema.ts";
import { v7 as uuidv7 } from "uuid";
import { lockedCallerGrant } from "../../lib/caller-grant.ts";
import { assertRoomForPrincipal } from "../change-principal.ts";
import { scopesOfInvited } from "../roles/scopes-of-role.ts";
import { emailTaken } from "./invite.ts";

interface Acceptance {
  token: string;
  displayName: string;
  lifetimeDaysMax: number | undefined;
  address: string;
  requestId: string;
}

interface NewUser {
  organizationId: string;
  userId: string;
  apiKey: ApiKey;
  rawKey: string;
}

/**
 * Makes the invited user, with the roles of the invitation and a first personal key.
 *
 * @throws AppError `invitation_invalid`, `email_taken` or `limit_reached`
 */
export async function acceptInvitation(
  db: DatabasePool,
  { token, ...acceptance }: Acceptance,
): Promise<NewUser> {
  const tokenHash = parseInvitationToken(token);
  if (tokenHash === undefined) throw invalid();
  const organizationId = await findInvitingOrganization(db, tokenHash);
  if (organizationId === null) throw invalid();
  return withOrganization(db, organizationId, async (tx) => {
    await lockKeyChanges(tx, organizationId, "exclusive");
    const invitation = await takeInvitation(tx, { organizationId, tokenHash });
    if (invitation === null) throw invalid();
    await assertStillInvited(tx, organizationId, invitation);
    if (await isEmailTaken(tx, { organizationId, ...invitation })) throw emailTaken();
    await assertRoomForPrincipal(tx, organizationId);
    return createUser(tx, organizationId, { invitation, ...acceptance });
  });
}

/** Checks that the key that invited could do so now, with roles that there are: an invitation lives no longer than the right to invite. */
async function assertStillInvited(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  { createdBy: apiKeyId, roles }: StoredInvitation,
): Promise<void> {
  try {
    for (const role of roles) await teamOf(tx, organizationId, role);
    const unlimited = roles.map(({ role, serviceNames }) => ({ role, serviceNames }));
    const scopes = await scopesOfInvited(tx, organizationId, unlimited);
    if (apiKeyId === null) return;
    const holder = await lockedCallerGrant(tx, { organizationId, apiKeyId, scopes: [] });
    authorize({ organizationId, apiKeyId, scopes: holder.scopes }, "principals:manage", {});
    assertCanGiveRoles(holder, scopes);
  } catch (error) {
    // A stranger does not learn the reason.
    if (error instanceof AppError) throw invalid(error);
    throw error;
  }
}

/** Finds the team to whose services a role is limited, by its id: its slug may be that of another team now. @throws AppError `not_found` */
async function teamOf(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  { ownedByTeamId: teamId }: StoredInvitation["roles"][number],
): Promise<TeamSummary | null> {
  if (teamId === null) return null;
  const team = await findTeam(tx, { organizationId, userId: null, serviceIds: null, teamId });
  if (team === null) throw new AppError("not_found", "The team of a role was deleted.");
  return team;
}

async function createUser(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  options: Omit<Acceptance, "token"> & { invitation: StoredInvitation },
): Promise<NewUser> {
  const { invitation, displayName, lifetimeDaysMax, address, requestId } = options;
  const { email, roles, createdBy } = invitation;
  const userId = uuidv7();
  await insertPrincipal(tx, { organizationId, id: userId, type: "user", displayName, email, createdBy });
  for (const invited of roles) {
    const { role, serviceNames } = invited;
    const ownedBy = await teamOf(tx, organizationId, invited);
    const grant = { role, serviceNames, ownedBy, createdBy };
    await insertRoleGrant(tx, { ...grant, organizationId, id: uuidv7(), holder: { principalId: userId } });
  }
  const created = await createKey(tx, {
    organizationId,
    id: uuidv7(),
    name: "First key",
    ownerPrincipalType: "user",
    ownerPrincipalId: userId,
    createdBy,
    scopes: [{ permission: EVERY_PERMISSION }],
    expiresAt: latestExpiry(new Date(), lifetimeDaysMax)?.toISOString() ?? null,
    allowedNetworks: null,
  });
  await insertAuditEvent(tx, {
    id: uuidv7(),
    organizationId,
    // The new key acts: its owner is the person who accepted.
    actorKeyId: created.apiKey.id,
    apiKeyId: created.apiKey.id,
    action: "invitation.accepted",
    address,
    requestId,
    details: {
      invitationId: invitation.id,
      principalId: userId,
      displayName,
      email,
      roles: roles.map(({ role }) => role),
    },
  });
  return { organizationId, userId, ...created };
}

function invalid(cause?: AppError): AppError {
  return new AppError(
    "invitation_invalid",
    "This invitation can't be used: it was used, has expired or was withdrawn. Ask for another one.",
    { cause },
  );
}
