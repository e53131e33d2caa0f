import { z } from "zod";
import { PrincipalSummary } from "../../api-keys/schema.ts";
import { INVISIBLE_CHARACTER } from "../../lib/invisible.ts";
import { IsoDateTime, text, Uuid } from "../../lib/schema.ts";
import { FindingFingerprint } from "../finding-decisions/schema.ts";
import { FINDING_COMMENT_LIMITS } from "./limits.ts";

const INVISIBLE = new RegExp(INVISIBLE_CHARACTER, "u");

/** A comment on a finding of a service. Lines are separated by line feeds. */
export const CreateFindingCommentRequest = z
  .strictObject({
    serviceId: Uuid,
    fingerprint: FindingFingerprint,
    text: text({ min: 1, max: FINDING_COMMENT_LIMITS.textMax })
      .refine((given) => given.trim() !== "", "must not be blank")
      .refine(
        (given) => !INVISIBLE.test(given.replaceAll("\n", "")),
        "must not contain invisible or control characters",
      )
      .meta({ description: "Everybody who may read the findings sees it. A text with a key is refused." }),
  })
  .meta({ id: "CreateFindingCommentRequest" });

export const FindingComment = z
  .object({
    id: Uuid,
    text: z.string(),
    createdByKeyId: Uuid.meta({ description: "The key that wrote it." }),
    author: PrincipalSummary.nullable().meta({
      description: "To whom that key belongs. Null for other keys.",
    }),
    isOwn: z.boolean().meta({ description: "True if the caller wrote it, and may delete it." }),
    createdAt: IsoDateTime,
  })
  .meta({ id: "FindingComment" });
export type FindingComment = z.infer<typeof FindingComment>;

export const FindingCommentPage = z
  .object({ comments: z.array(FindingComment), nextCursor: z.string().optional() })
  .meta({ id: "FindingCommentPage" });
