import { z } from "zod";
import { Uuid } from "../lib/schema.ts";
import { type KeyAccess, NoContent, operation } from "../operations/operation.ts";
import { PageQuery } from "../operations/page-query.ts";
import * as addresses from "./addresses.ts";
import {
  CreateSavedViewRequest,
  SavedView,
  SavedViewList,
  SavedViewPage,
  UpdateSavedViewRequest,
} from "./schema.ts";

const tag = "saved-views";
const params = z.object({ savedViewId: Uuid });
/** Whoever may read some service, because the pages show services. Whose view it is decides the rest. */
const access = {
  needs: ["services:read"],
  within: ["service"],
  resourceType: "service",
  isFiltered: true,
} as const satisfies KeyAccess;

export const listSavedViews = operation({
  id: "listSavedViews",
  ...addresses.listSavedViews,
  summary: "List saved views",
  description:
    "Those of the user of the calling key and of the user's teams, newest first. A key that belongs to no user has none: 409 user_required. " +
    "With `teamId`, those of this team, for its members and for whoever may manage teams.",
  tag,
  access,
  query: PageQuery.extend({
    page: SavedViewPage.optional().meta({ description: "Only views of this page." }),
    teamId: Uuid.optional().meta({ description: "Only views of this team." }),
  }),
  responses: { 200: SavedViewList },
  errors: [404, 409],
});

export const createSavedView = operation({
  id: "createSavedView",
  ...addresses.createSavedView,
  summary: "Save a view",
  description:
    "For the user of the calling key or, with `teamId`, for a team. That needs to be a member of the team, or teams:manage. A view gives no right: " +
    "its page shows what whoever opens it may read.",
  tag,
  access,
  body: CreateSavedViewRequest,
  responses: { 201: SavedView },
  errors: [404, 409],
});

export const updateSavedView = operation({
  id: "updateSavedView",
  ...addresses.updateSavedView,
  summary: "Rename a saved view, or replace its filters",
  description: "With the revision in If-Match, so that nobody replaces what a colleague has changed (412).",
  tag,
  access,
  params,
  headers: z.object({
    "if-match": z
      .string('is required: the view\'s revision in quotes, such as "3"')
      .regex(/^"[0-9]{1,9}"$/, 'must be the view\'s revision in quotes, such as "3"')
      .meta({ description: "The revision that the change was made from, in quotes." }),
  }),
  body: UpdateSavedViewRequest,
  responses: { 200: SavedView },
  errors: [409, 412],
});

export const deleteSavedView = operation({
  id: "deleteSavedView",
  ...addresses.deleteSavedView,
  summary: "Remove a saved view",
  tag,
  access,
  params,
  responses: { 204: NoContent },
});
