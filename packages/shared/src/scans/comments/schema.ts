import { z } from "zod";
import { PrincipalSummary } from "../../api-keys/schema.ts";
import { INVISIBLE_CHARACTER } from "../../lib/invisible.ts";
import { text, Uuid } from "../../lib/schema.ts";

const INVISIBLE = new RegExp(INVISIBLE_CHARACTER, "u");

/** Returns the schema of a comment's text: lines separated by line feeds, with tabs, and no other character that can't be seen. */
export function commentText({ max }: { max: number }) {
  return text({ min: 1, max })
    .refine((given) => given.trim() !== "", "must not be blank")
    .refine(
      (given) => !INVISIBLE.test(given.replaceAll(/[\n\t]/g, "")),
      "must not contain invisible or control characters",
    );
}

/** Fields of a stored comment: its text, and who wrote it. */
export const WRITTEN_COMMENT = {
  id: Uuid,
  text: z.string(),
  createdByKeyId: Uuid.meta({ description: "The key that wrote it." }),
  author: PrincipalSummary.nullable().meta({
    description: "To whom that key belongs. Null for other keys.",
  }),
};
