import { z } from "zod";
import { Uuid } from "../../lib/schema.ts";
import { NoContent, operation } from "../../operations/operation.ts";
import * as addresses from "./addresses.ts";
import {
  AcceptedInvitation,
  AcceptInvitationRequest,
  CreatedInvitation,
  CreateInvitationRequest,
  INVITATION_LIMITS,
  InvitationList,
} from "./schema.ts";

const tag = "invitations";

export const listInvitations = operation({
  id: "listInvitations",
  ...addresses.listInvitations,
  summary: "List open invitations",
  description: "Newest first. Accepted, withdrawn and expired ones are not among them.",
  tag,
  access: { needs: ["principals:read"] },
  responses: { 200: InvitationList },
});

export const createInvitation = operation({
  id: "createInvitation",
  ...addresses.createInvitation,
  summary: "Invite a person",
  description:
    `The link works once and for ${INVITATION_LIMITS.daysMax} days, while the calling key is usable and has the permissions of the roles. ` +
    "Another invitation for the same address replaces it.",
  tag,
  needsRecentSignIn: true,
  access: { needs: ["principals:manage"] },
  body: CreateInvitationRequest,
  responses: { 201: CreatedInvitation },
  errors: [404, 409],
});

export const deleteInvitation = operation({
  id: "deleteInvitation",
  ...addresses.deleteInvitation,
  summary: "Withdraw an invitation",
  tag,
  access: { needs: ["principals:manage"] },
  params: z.object({ invitationId: Uuid }),
  responses: { 204: NoContent },
});

export const acceptInvitation = operation({
  id: "acceptInvitation",
  ...addresses.acceptInvitation,
  summary: "Accept an invitation",
  description:
    "Makes the user with a first personal key, and opens a session of the console by it, whose cookie replaces the browser's previous one.",
  tag,
  access: "public",
  body: AcceptInvitationRequest,
  // It is unauthenticated, so the limit is low.
  bodyBytesMax: 4096,
  responses: { 201: AcceptedInvitation },
  errors: [401, 403, 404, 409, 413, 415],
});
