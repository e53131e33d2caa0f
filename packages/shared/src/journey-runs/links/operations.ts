import { z } from "zod";
import { Uuid } from "../../lib/schema.ts";
import { NoContent, operation } from "../../operations/operation.ts";
import * as addresses from "./addresses.ts";
import {
  CreatedJourneyRunLink,
  CreateJourneyRunLinkRequest,
  JourneyRunLinkList,
  OpenedJourneyRunLink,
  OpenJourneyRunLinkRequest,
} from "./schema.ts";

const tag = "journey runs";
const RunParams = z.object({ runId: Uuid });

export const listJourneyRunLinks = operation({
  id: "listJourneyRunLinks",
  ...addresses.listJourneyRunLinks,
  summary: "List the links to a run",
  description:
    "Newest first. Those that have ended or expired are not among them. Their addresses are not stored.",
  tag,
  access: { needs: ["journeys:read"], within: ["environment", "workflow"] },
  params: RunParams,
  responses: { 200: JourneyRunLinkList },
});

export const createJourneyRunLink = operation({
  id: "createJourneyRunLink",
  ...addresses.createJourneyRunLink,
  summary: "Share a run by a link",
  description:
    "Whoever has the link reads this one run without an account, until it expires, is ended, or the calling key could not make it any more. " +
    "The run must have ended, and the key must have no `allowedNetworks`, because a link works everywhere.",
  tag,
  access: { needs: ["journeys:read", "journeys:share"], within: ["environment", "workflow"] },
  params: RunParams,
  body: CreateJourneyRunLinkRequest,
  responses: { 201: CreatedJourneyRunLink },
  errors: [409],
});

export const deleteJourneyRunLink = operation({
  id: "deleteJourneyRunLink",
  ...addresses.deleteJourneyRunLink,
  summary: "End a link to a run",
  description: "Its maker can with `journeys:share` alone. Nobody can open it from the next request on.",
  tag,
  access: {
    needs: ["journeys:share", "principals:manage"],
    within: ["environment", "workflow"],
    unless: "the caller made the link",
  },
  params: RunParams.extend({ linkId: Uuid }),
  responses: { 204: NoContent },
});

export const openJourneyRunLink = operation({
  id: "openJourneyRunLink",
  ...addresses.openJourneyRunLink,
  summary: "Read a run by its link",
  description:
    "The token is the only credential. A link that is unknown, has expired or was ended gets the same 404. The response has no ids, and only what " +
    "the link includes.",
  tag,
  access: "public",
  body: OpenJourneyRunLinkRequest,
  // It is unauthenticated, so the limit is low.
  bodyBytesMax: 4096,
  responses: { 200: OpenedJourneyRunLink },
  errors: [404, 413, 415],
});
