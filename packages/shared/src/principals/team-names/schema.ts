import { z } from "zod";
import { TEAM_LIMITS } from "../teams/limits.ts";

/** The words of the filter `owner` that are no team. */
export const OWNER_WORDS = ["me", "none"] as const;

/** Words that a slug can't be: those of the filter, and the console's word for no filter. */
const RESERVED: readonly string[] = [...OWNER_WORDS, "all"];

/** The name of a team in files, requests and addresses. */
export const TeamSlug = z
  .string()
  .max(TEAM_LIMITS.slugMax)
  .regex(/^[a-z][a-z0-9-]*$/, "must have lower-case letters, digits and hyphens, and begin with a letter")
  .refine(
    (slug) => !RESERVED.includes(slug),
    `must not be ${RESERVED.join(", ")}: these have another meaning`,
  )
  .refine((slug) => !z.guid().safeParse(slug).success, "must not look like an id")
  .meta({ id: "TeamSlug" });

/** A word of a filter: the slug of a team, or one that is no team. */
export const TeamWord = z
  .string()
  .max(TEAM_LIMITS.slugMax)
  .regex(/^[a-z][a-z0-9-]*$/, "must be me, none, or the slug of a team");

/** Selects services by their owner, in a query. */
export const OwnerSelector = TeamWord.optional().meta({
  description:
    "Only services that a team owns: me for the teams of the key's user, none for services without an owner, or the slug of a team.",
  examples: ["payments"],
});

/** The team that owns a service, as lists show it. */
export const TeamSummary = z
  .object({ id: z.uuid(), slug: z.string(), displayName: z.string() })
  .meta({ id: "TeamSummary" });
export type TeamSummary = z.infer<typeof TeamSummary>;

/** A team's name in `CODEOWNERS`: that of a team or a user of GitHub, or of a group or a user of GitLab. */
export const TeamHandle = z
  .string()
  .max(TEAM_LIMITS.handleMax)
  .regex(/^@[\w.-]+(\/[\w.-]+)*$/, "must be a name as CODEOWNERS has it, such as @acme/payments")
  .transform((handle) => handle.toLowerCase())
  .meta({ id: "TeamHandle" });
