import { z } from "zod";
import { IsoDateTime } from "../../lib/schema.ts";
import { commentText, WRITTEN_COMMENT } from "../comments/schema.ts";
import { RUN_COMMENT_LIMITS } from "./limits.ts";

/** The text of a comment on a scan run. Lines are separated by line feeds. */
export const ScanRunCommentText = z
  .strictObject({
    text: commentText({ max: RUN_COMMENT_LIMITS.textMax }).meta({
      description: "Everybody who may read the run's changes sees it. A text with a key is refused.",
    }),
  })
  .meta({ id: "ScanRunCommentText" });

export const ScanRunComment = z
  .object({
    ...WRITTEN_COMMENT,
    isOwn: z.boolean().meta({ description: "True if the caller wrote it, and may change and delete it." }),
    createdAt: IsoDateTime,
    editedAt: IsoDateTime.nullable().meta({ description: "The last time its text was changed." }),
  })
  .meta({ id: "ScanRunComment" });
export type ScanRunComment = z.infer<typeof ScanRunComment>;

export const ScanRunCommentPage = z
  .object({ comments: z.array(ScanRunComment), nextCursor: z.string().optional() })
  .meta({ id: "ScanRunCommentPage" });
