import { z } from "zod";
import { extensible, Json } from "../document/extensible.ts";

/** `info.x-overlay`: the link to the base. */
export const OverlayExtension = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9_./-]+$/, "must be letters, digits, '.', '/', '-' and '_'"),
  extendsVersion: z
    .string()
    .min(1)
    .optional()
    .describe("Range of versions of the base this was written for."),
  onZeroMatch: z.literal("error").optional().describe("A target that matches nothing is an error, always."),
});
export type OverlayExtension = z.infer<typeof OverlayExtension>;

export const InsertPlace = z.union([
  z.strictObject({ before: z.string().min(1) }),
  z.strictObject({ after: z.string().min(1) }),
]);
export type InsertPlace = z.infer<typeof InsertPlace>;

export const OverlayAction = extensible({
  target: z.string().regex(/^\$/, "must begin with $"),
  description: z.string().optional(),
  update: Json.optional(),
  copy: z.string().regex(/^\$/, "must begin with $").optional(),
  remove: z.boolean().optional(),
  "x-insert": InsertPlace.optional().describe("Where the items of an update go in a list: by stepId."),
});
export type OverlayAction = z.infer<typeof OverlayAction>;

/** An Overlay 1.0 or 1.1 document. `profileOf` says how it is read. */
export const OverlayDocument = extensible({
  overlay: z.string().regex(/^1\.[01]\.\d+$/, "must be 1.0.x or 1.1.x"),
  info: extensible({
    title: z.string().min(1),
    version: z.string().min(1),
    description: z.string().optional(),
    "x-overlay": OverlayExtension.optional(),
  }),
  extends: z.string().min(1).optional(),
  actions: z.array(OverlayAction).min(1).max(500),
});
export type OverlayDocument = z.infer<typeof OverlayDocument>;

/**
 * `standard` applies an overlay as its specification says. `strict` selects by identity only, and an action that does nothing
 * is an error, so that a variant doesn't silently stop to change its base.
 */
export type OverlayProfile = "standard" | "strict";

/** Returns the profile of an overlay: strict if it has `info.x-overlay`. */
export function profileOf({ info }: OverlayDocument): OverlayProfile {
  return info["x-overlay"] === undefined ? "standard" : "strict";
}

/** Returns the id that an overlay gives itself, or else its file. */
export function overlayId({ info }: OverlayDocument, file: string): string {
  return info["x-overlay"]?.id ?? file;
}
