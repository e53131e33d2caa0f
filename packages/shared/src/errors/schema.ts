import { z } from "zod";

/** A document that is not at the version that a change was made from. */
export const VersionConflict = z
  .object({
    path: z.string(),
    baseVersion: z.int().nullable(),
    headVersion: z.int().nullable().meta({ description: "Null if there is no such document." }),
    documentId: z.string().nullable(),
  })
  .meta({ id: "VersionConflict" });
export type VersionConflict = z.infer<typeof VersionConflict>;

/** Every error response of the API. `code` and `message` are always set. */
export const ErrorResponse = z
  .object({
    error: z.object({
      code: z.string().meta({ description: "A stable, documented snake_case code." }),
      message: z.string().meta({ description: "What happened and what to do." }),
      details: z
        .array(z.object({ path: z.string(), message: z.string() }))
        .max(20)
        .optional()
        .meta({ description: "Up to 20 faults, each with its position in the request." }),
      conflicts: z
        .array(VersionConflict)
        .optional()
        .meta({ description: "Of `version_conflict`: the documents that have moved on." }),
      requestId: z.string().optional(),
    }),
  })
  .meta({ id: "ErrorResponse" });
export type ErrorResponse = z.infer<typeof ErrorResponse>;
