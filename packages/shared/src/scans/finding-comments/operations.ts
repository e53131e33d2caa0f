import { z } from "zod";
import { Uuid } from "../../lib/schema.ts";
import { NoContent, operation } from "../../operations/operation.ts";
import { PageQuery } from "../../operations/page-query.ts";
import { FindingFingerprint } from "../finding-decisions/schema.ts";
import * as addresses from "./addresses.ts";
import { CreateFindingCommentRequest, FindingComment, FindingCommentPage } from "./schema.ts";

export const listFindingComments = operation({
  id: "listFindingComments",
  ...addresses.listFindingComments,
  summary: "List the comments on a finding",
  description:
    "Newest first. Findings of the service with the same fingerprint have the same comments, in all of its scans.",
  tag: "scans",
  access: { needs: ["endpoints:read"], within: ["service"] },
  query: PageQuery.extend({
    serviceId: Uuid.meta({ description: "The service of the finding." }),
    fingerprint: FindingFingerprint,
  }),
  responses: { 200: FindingCommentPage },
  errors: [404],
});

export const createFindingComment = operation({
  id: "createFindingComment",
  ...addresses.createFindingComment,
  summary: "Comment on a finding",
  description: "The comment stays with the finding from scan to scan, as a decision does.",
  tag: "scans",
  access: { needs: ["findings:decide"], within: ["service"] },
  body: CreateFindingCommentRequest,
  responses: { 201: FindingComment },
  errors: [404, 409],
});

export const deleteFindingComment = operation({
  id: "deleteFindingComment",
  ...addresses.deleteFindingComment,
  summary: "Delete a comment on a finding",
  description: "Only its author can: the key that wrote it, or another key or a session of the same user.",
  tag: "scans",
  access: { needs: ["findings:decide"], within: ["service"] },
  params: z.object({ commentId: Uuid }),
  responses: { 204: NoContent },
  errors: [409],
});
