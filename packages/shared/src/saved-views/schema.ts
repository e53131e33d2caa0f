import { z } from "zod";
import type { ConsolePage } from "../console/schema.ts";
import { INVISIBLE_CHARACTER } from "../lib/invisible.ts";
import { IsoDateTime, label, text, Uuid } from "../lib/schema.ts";
import { TeamSummary } from "../principals/team-names/schema.ts";
import { SAVED_VIEW_LIMITS } from "./limits.ts";

/** The pages of the console whose filters can be saved: they have them in their address. */
export const SAVED_VIEW_PAGES = [
  "/",
  "/services",
  "/endpoints",
  "/findings",
  "/decisions",
  "/journeys",
  "/coverage",
] as const satisfies readonly ConsolePage[];

export const SavedViewPage = z.enum(SAVED_VIEW_PAGES).meta({
  id: "SavedViewPage",
  description: "The path of a page of the console.",
});
export type SavedViewPage = z.infer<typeof SavedViewPage>;

const INVISIBLE = new RegExp(INVISIBLE_CHARACTER, "u");

export const SavedViewName = label({ min: 1, max: SAVED_VIEW_LIMITS.nameMax })
  .refine((name) => name.trim() === name, "must not begin or end with white space")
  .refine((name) => !INVISIBLE.test(name), "must not contain invisible characters")
  .meta({
    id: "SavedViewName",
    minLength: 1,
    maxLength: SAVED_VIEW_LIMITS.nameMax,
    description: "Unique among the views of its owner, in any case.",
  });

/** The characters that RFC 3986 allows in a query: it can't begin a fragment, and no browser writes it another way. */
const QUERY = /^[A-Za-z0-9\-._~!$&'()*+,;=:@/?%]*$/;

const SavedQuery = text({ max: SAVED_VIEW_LIMITS.queryMax })
  .regex(QUERY, "must be the query of an address, without the question mark")
  .meta({
    description:
      "The query of the page's address, without the question mark. Parameters that the page does not know have no effect.",
    maxLength: SAVED_VIEW_LIMITS.queryMax,
  });

/** A page of the console with its filters, under a name. */
export const SavedView = z
  .object({
    id: Uuid,
    name: z.string(),
    page: SavedViewPage,
    query: z.string(),
    team: TeamSummary.nullable().meta({
      description: "The team whose members have it. Null for a view of the caller's own.",
    }),
    revision: z.int().min(1).meta({ description: "Rises with each change. Send it as If-Match." }),
    updatedAt: IsoDateTime,
  })
  .meta({ id: "SavedView" });
export type SavedView = z.infer<typeof SavedView>;

export const SavedViewList = z
  .object({ savedViews: z.array(SavedView), nextCursor: z.string().optional() })
  .meta({ id: "SavedViewList" });
export type SavedViewList = z.infer<typeof SavedViewList>;

export const CreateSavedViewRequest = z
  .strictObject({
    name: SavedViewName,
    page: SavedViewPage,
    query: SavedQuery,
    teamId: Uuid.optional().meta({
      description: "The team whose members have it. Without it, the view is of the user of the calling key.",
    }),
  })
  .meta({ id: "CreateSavedViewRequest" });
export type CreateSavedViewRequest = z.infer<typeof CreateSavedViewRequest>;

/** A change of a view. A field that is left out stays as it is. */
export const UpdateSavedViewRequest = z
  .strictObject({
    name: SavedViewName.optional(),
    page: SavedViewPage.optional(),
    query: SavedQuery.optional(),
  })
  .meta({ id: "UpdateSavedViewRequest" });
export type UpdateSavedViewRequest = z.infer<typeof UpdateSavedViewRequest>;
