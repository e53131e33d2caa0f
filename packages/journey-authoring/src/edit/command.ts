import { z } from "zod";
import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";

const workflowId = z.string().min(1).optional().describe("Without it: main, else the only workflow.");
const place = {
  before: z.string().min(1).optional().describe("stepId that the step shall precede."),
  after: z
    .string()
    .min(1)
    .optional()
    .describe("stepId that the step shall follow; with neither it goes to the end."),
};
const stepValue = z.custom<JsonObject>(isObject, "must be a step object");

/** A change of a document as the visual view makes it. One command is one smallest text patch. */
export const EditCommand = z.discriminatedUnion("op", [
  z.strictObject({
    op: z.literal("setScalar"),
    pointer: z.string().describe("JSON Pointer of a scalar, or of a new member of an existing object."),
    value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  }),
  z.strictObject({ op: z.literal("insertStep"), workflowId, step: stepValue, ...place }),
  z.strictObject({ op: z.literal("moveStep"), workflowId, stepId: z.string().min(1), ...place }),
  z.strictObject({ op: z.literal("removeStep"), workflowId, stepId: z.string().min(1) }),
  z.strictObject({
    op: z.literal("renameStep"),
    workflowId,
    stepId: z.string().min(1),
    to: z.string().regex(/^[A-Za-z0-9_-]+$/, "must be letters, digits, '-' and '_'"),
  }),
]);
export type EditCommand = z.infer<typeof EditCommand>;
export type StepPlace = { before?: string | undefined; after?: string | undefined };
