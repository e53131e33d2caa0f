import { z } from "zod";
import { Uuid } from "../../lib/schema.ts";
import { type KeyAccess, NoContent, operation } from "../../operations/operation.ts";
import * as addresses from "./addresses.ts";
import { SnoozableKind, Snooze, SnoozeRequest } from "./schema.ts";

const tag = "services";
const params = z.object({ kind: SnoozableKind, subjectId: Uuid });
/** Whoever may read the overview. */
const access = {
  needs: ["services:read"],
  within: ["service"],
  resourceType: "service",
  isFiltered: true,
} as const satisfies KeyAccess;

export const snoozeItem = operation({
  id: "snoozeItem",
  ...addresses.snoozeItem,
  summary: "Snooze an item of the overview",
  description:
    "For the user of the calling key, and for nobody else, until a time or until something new happens to the item. A snooze that there is for the " +
    "item is replaced. A key that belongs to no user can't snooze: 409 user_required. It is not checked whether there is such an item.",
  tag,
  access,
  params,
  body: SnoozeRequest,
  responses: { 200: Snooze },
  errors: [409],
});

export const unsnoozeItem = operation({
  id: "unsnoozeItem",
  ...addresses.unsnoozeItem,
  summary: "List a snoozed item again",
  description: "Idempotent.",
  tag,
  access,
  params,
  responses: { 204: NoContent },
});
