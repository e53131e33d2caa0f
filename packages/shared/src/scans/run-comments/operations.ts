import { z } from "zod";
import { Uuid } from "../../lib/schema.ts";
import { NoContent, operation } from "../../operations/operation.ts";
import { PageQuery } from "../../operations/page-query.ts";
import * as addresses from "./addresses.ts";
import { ScanRunComment, ScanRunCommentPage, ScanRunCommentText } from "./schema.ts";

const RunParams = z.object({ scanRunId: Uuid });
const CommentParams = RunParams.extend({ commentId: Uuid });

export const listScanRunComments = operation({
  id: "listScanRunComments",
  ...addresses.listScanRunComments,
  summary: "List the comments on a scan run",
  description: "Oldest first. They are deleted with the run.",
  tag: "scans",
  access: { needs: ["endpoints:read"], within: ["service"] },
  params: RunParams,
  query: PageQuery,
  responses: { 200: ScanRunCommentPage },
});

export const createScanRunComment = operation({
  id: "createScanRunComment",
  ...addresses.createScanRunComment,
  summary: "Comment on a scan run",
  tag: "scans",
  access: { needs: ["findings:decide"], within: ["service"] },
  params: RunParams,
  body: ScanRunCommentText,
  responses: { 201: ScanRunComment },
  errors: [409],
});

export const updateScanRunComment = operation({
  id: "updateScanRunComment",
  ...addresses.updateScanRunComment,
  summary: "Change a comment on a scan run",
  description: "Only its author can: the key that wrote it, or another key or a session of the same user.",
  tag: "scans",
  access: { needs: ["findings:decide"], within: ["service"] },
  params: CommentParams,
  body: ScanRunCommentText,
  responses: { 200: ScanRunComment },
  errors: [409],
});

export const deleteScanRunComment = operation({
  id: "deleteScanRunComment",
  ...addresses.deleteScanRunComment,
  summary: "Delete a comment on a scan run",
  description:
    "Its author can with `findings:decide` alone. The audit record names who deleted it, without its text.",
  tag: "scans",
  access: {
    needs: ["findings:decide", "principals:manage"],
    within: ["service"],
    unless: "the caller wrote the comment",
  },
  params: CommentParams,
  responses: { 204: NoContent },
});
