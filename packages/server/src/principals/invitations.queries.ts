import { type CommonQueryMethods, type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { Invitation } from "@waymark/shared/principals/invitations/schema.ts";

const Nothing = z.object({});

const GivenRole = Invitation.shape.roles.element;
const StoredInvitation = Invitation.extend({
  roles: z.array(GivenRole.extend({ ownedByTeamId: z.string().nullable() })),
});
/** An invitation with the ids of the teams that its roles are limited to: slugs change. */
export type StoredInvitation = z.infer<typeof StoredInvitation>;

/** A role for what a team owns has the slug that the team has now, or had before it was deleted. */
const COLUMNS = sql.fragment`
  id, email, coalesce((
    SELECT jsonb_agg(CASE WHEN t.id IS NULL THEN r.held ELSE jsonb_set(r.held, '{ownedBy}', to_jsonb(t.slug)) END ORDER BY r.n)
    FROM jsonb_array_elements(invitations.roles) WITH ORDINALITY AS r (held, n)
    LEFT JOIN teams t ON t.organization_id = invitations.organization_id AND t.id = (r.held->>'ownedByTeamId')::uuid
  ), '[]') AS roles, created_at AS "createdAt", expires_at AS "expiresAt", created_by AS "createdBy"`;

interface InvitationRef {
  organizationId: string;
  invitationId: string;
}

/** Stores an invitation. It replaces another one for the same address, and expired ones are deleted. */
export async function replaceInvitation(
  tx: DatabaseTransactionConnection,
  invitation: {
    organizationId: string;
    id: string;
    email: string;
    roles: StoredInvitation["roles"];
    tokenHash: Buffer;
    days: number;
    /** Null for the operator. */
    createdBy: string | null;
  },
): Promise<Invitation> {
  const { organizationId, id, email, roles, tokenHash, days, createdBy } = invitation;
  await tx.query(sql.type(Nothing)`
    DELETE FROM invitations
    WHERE organization_id = ${organizationId} AND (lower(email COLLATE "C") = lower(${email} COLLATE "C") OR expires_at <= now())`);
  return tx.one(sql.type(Invitation)`
    INSERT INTO invitations (organization_id, id, email, roles, token_hash, created_by, expires_at)
    VALUES (${organizationId}, ${id}, ${email}, ${sql.jsonb(roles)}, ${sql.binary(tokenHash)}, ${createdBy},
            now() + ${days} * interval '1 day')
    RETURNING ${COLUMNS}`);
}

/** Lists the invitations that can be accepted, newest first. */
export async function listInvitations(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<readonly Invitation[]> {
  return tx.any(sql.type(Invitation)`
    SELECT ${COLUMNS} FROM invitations WHERE organization_id = ${organizationId} AND expires_at > now() ORDER BY id DESC`);
}

/** Deletes an invitation. @returns it, or null if there is none */
export async function deleteInvitation(
  tx: DatabaseTransactionConnection,
  { organizationId, invitationId }: InvitationRef,
): Promise<Invitation | null> {
  return tx.maybeOne(sql.type(Invitation)`
    DELETE FROM invitations WHERE organization_id = ${organizationId} AND id = ${invitationId} RETURNING ${COLUMNS}`);
}

/** Uses an invitation up, which a second request then finds no more. @returns it, or null if it can't be accepted */
export async function takeInvitation(
  tx: DatabaseTransactionConnection,
  { organizationId, tokenHash }: { organizationId: string; tokenHash: Buffer },
): Promise<StoredInvitation | null> {
  return tx.maybeOne(sql.type(StoredInvitation)`
    DELETE FROM invitations
    WHERE organization_id = ${organizationId} AND token_hash = ${sql.binary(tokenHash)} AND expires_at > now()
    RETURNING ${COLUMNS}`);
}

/** Finds the organization of an invitation's token. */
export async function findInvitingOrganization(
  db: CommonQueryMethods,
  tokenHash: Buffer,
): Promise<string | null> {
  return db.maybeOneFirst(
    sql.type(z.object({ organization_id: z.string() }))`
      SELECT organization_id FROM find_invitation(${sql.binary(tokenHash)})`,
  );
}

/** True if a user has the address, in any case. */
export async function isEmailTaken(
  tx: DatabaseTransactionConnection,
  { organizationId, email }: { organizationId: string; email: string },
): Promise<boolean> {
  return tx.exists(sql.type(Nothing)`
    SELECT FROM principals
    WHERE organization_id = ${organizationId} AND email IS NOT NULL
      AND lower(email COLLATE "C") = lower(${email} COLLATE "C")`);
}
