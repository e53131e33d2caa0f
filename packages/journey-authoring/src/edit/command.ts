import { z } from "zod";

const workflowId = z.string().min(1).optional().describe("Without it: main, else the only workflow.");
const place = {
  before: z.string().min(1).optional().describe("stepId that the step shall precede."),
  after: z
    .string()
    .min(1)
    .optional()
    .describe("stepId that the step shall follow; with neither it goes to the end."),
};
const jsonValue = z.json();
const stepValue = z.record(z.string(), jsonValue);
const index = z.int().min(0);

/** Characters to replace, with the current ones. */
const TextChange = z.strictObject({
  at: index.describe("Offset in UTF-16 units, in the text before any of these changes."),
  remove: z.string(),
  insert: z.string(),
});
export type TextChange = z.infer<typeof TextChange>;

/** A change of a document, as a visual editor makes it. Each command is one minimal patch of the text. */
export const EditCommand = z.discriminatedUnion("op", [
  z.strictObject({
    op: z.literal("setScalar"),
    pointer: z.string().describe("JSON Pointer of a scalar, or of a new member of an existing object."),
    value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  }),
  z.strictObject({
    op: z.literal("setValue"),
    pointer: z.string().describe("JSON Pointer of any value, or of a new member of an existing object."),
    value: jsonValue,
  }),
  z.strictObject({
    op: z.literal("insertItem"),
    pointer: z.string().describe("JSON Pointer of a list."),
    at: index.optional().describe("Index that the item gets; without it the item goes to the end."),
    value: jsonValue,
  }),
  z.strictObject({
    op: z.literal("moveItem"),
    pointer: z.string().describe("JSON Pointer of an item of a list."),
    to: index.describe("Index that the item has afterwards."),
  }),
  z.strictObject({
    op: z.literal("removeValue"),
    pointer: z.string().describe("JSON Pointer of an item of a list or a member of an object."),
  }),
  z.strictObject({
    op: z.literal("wrapValue"),
    pointer: z.string().describe("JSON Pointer of any value."),
    key: z
      .string()
      .min(1)
      .optional()
      .describe("The value becomes this member of a new object; without it the item of a new list."),
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
  z.strictObject({
    op: z.literal("renameAssertion"),
    workflowId,
    stepId: z.string().min(1),
    id: z.string().min(1).describe("The x-id that it has."),
    to: z.string().min(1),
  }),
  z.strictObject({
    op: z.literal("resetValue"),
    pointer: z
      .string()
      .describe("JSON Pointer, in the composed journey, of what a variant changed or added."),
  }),
  z.strictObject({
    op: z.literal("patchText"),
    of: z.string().describe("Fingerprint of the text that the changes are for; another text is refused."),
    changes: z
      .array(TextChange)
      .min(1)
      .max(10_000)
      .describe("In the order of the text. What undoes another command."),
  }),
]);
export type EditCommand = z.infer<typeof EditCommand>;
export type EditOf<Op extends EditCommand["op"]> = Extract<EditCommand, { op: Op }>;
/** A command on the document's value; the others change its text. */
export type ModelCommand = Exclude<EditCommand, { op: "patchText" | "resetValue" }>;
export type StepPlace = { before?: string | undefined; after?: string | undefined };
