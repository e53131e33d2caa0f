import { z } from "zod";
import { IsoDateTime, Uuid } from "../../lib/schema.ts";
import { commentText, WRITTEN_COMMENT } from "../comments/schema.ts";
import { FindingFingerprint } from "../finding-decisions/schema.ts";
import { FINDING_COMMENT_LIMITS } from "./limits.ts";

/** A comment on a finding of a service. Lines are separated by line feeds. */
export const CreateFindingCommentRequest = z
  .strictObject({
    serviceId: Uuid,
    fingerprint: FindingFingerprint,
    text: commentText({ max: FINDING_COMMENT_LIMITS.textMax }).meta({
      description: "Everybody who may read the findings sees it. A text with a key is refused.",
    }),
  })
  .meta({ id: "CreateFindingCommentRequest" });

export const FindingComment = z
  .object({
    ...WRITTEN_COMMENT,
    isOwn: z.boolean().meta({ description: "True if the caller wrote it, and may delete it." }),
    createdAt: IsoDateTime,
  })
  .meta({ id: "FindingComment" });
export type FindingComment = z.infer<typeof FindingComment>;

export const FindingCommentPage = z
  .object({ comments: z.array(FindingComment), nextCursor: z.string().optional() })
  .meta({ id: "FindingCommentPage" });
