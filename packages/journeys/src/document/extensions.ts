import { z } from "zod";
import { Json } from "./extensible.ts";

/** `info.x-journey`. */
export const InfoExtension = z
  .strictObject({
    schema: z.literal(1).describe("Version of the x-journey extensions."),
    template: z
      .boolean()
      .optional()
      .describe("A base template: may be extended by overlays, may also be run."),
    owner: z.string().min(1).optional(),
    tags: z.array(z.string().min(1)).optional(),
    basedOn: z
      .string()
      .min(1)
      .optional()
      .describe("The template this journey was made from and its version then, as name@version."),
  })
  .describe("What a journey says of itself.");
export type InfoExtension = z.infer<typeof InfoExtension>;

export const AcceptanceCriterion = z.strictObject({
  id: z.string().min(1),
  text: z.string().min(1),
  severity: z.enum(["must", "should", "could"]),
  links: z.array(z.strictObject({ rel: z.string().min(1).optional(), href: z.string().min(1) })).optional(),
  provenBy: z
    .array(z.string().regex(/^[^#\s]+#[^#\s]+$/, "must be stepId#criterionId"))
    .optional()
    .describe("stepId#criterionId; empty means declared and unproven: a gap, not an error."),
});
export type AcceptanceCriterion = z.infer<typeof AcceptanceCriterion>;

export const SecretReference = z.strictObject({
  ref: z
    .string()
    .regex(/^env:[A-Za-z_][A-Za-z0-9_]*$/, "must be env:NAME")
    .describe("Where the runner finds the value: env:NAME."),
});
export type SecretReference = z.infer<typeof SecretReference>;

export const TeardownEntry = z.strictObject({
  step: z.string().min(1).describe("stepId of a step of this workflow."),
  when: z.string().min(1).optional().describe("A simple condition; without it the step always runs."),
});
export type TeardownEntry = z.infer<typeof TeardownEntry>;

/** A generator with an optional seed: with a seed every run gets the same value, otherwise each run its own. */
export const VariableGenerator = z.strictObject({
  generate: z.enum(["uuid", "integer", "string", "email", "date-time"]),
  seed: z.union([z.string(), z.int()]).optional(),
  min: z.int().optional().describe("integer: smallest value."),
  max: z.int().optional().describe("integer: greatest value."),
  length: z.int().min(1).max(1000).optional().describe("string: number of characters."),
  prefix: z.string().max(200).optional(),
});
export type VariableGenerator = z.infer<typeof VariableGenerator>;

/** A constant of any shape; an object with the member `generate` is a generator. */
export const Variable = z.union([VariableGenerator, Json]);
export type Variable = z.infer<typeof Variable>;

const SecretOutputs = z
  .array(z.string().min(1))
  .describe("Names of outputs whose values are secrets: nothing that is printed or written holds them.");

/** The `x-journey` of a workflow. */
export const WorkflowExtension = z.strictObject({
  acceptanceCriteria: z.array(AcceptanceCriterion).optional(),
  secrets: z.record(z.string(), SecretReference).optional().describe("By name of the input."),
  secretOutputs: SecretOutputs.optional(),
  teardown: z.array(TeardownEntry).optional().describe("Runs in order after the workflow, however it ended."),
  vars: z.record(z.string(), Variable).optional().describe("Visible as $vars.name."),
});
export type WorkflowExtension = z.infer<typeof WorkflowExtension>;

/** The `x-journey` of a step. */
export const StepExtension = z.strictObject({
  poll: z
    .strictObject({
      until: z.string().min(1).describe("A simple condition: polling ends when it holds."),
      failWhen: z
        .string()
        .min(1)
        .optional()
        .describe("A simple condition: the step fails at once when it holds."),
      everyMs: z.int().min(1),
      maxMs: z.int().min(1),
    })
    .optional(),
  secretOutputs: SecretOutputs.optional(),
});
export type StepExtension = z.infer<typeof StepExtension>;

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"];

/** `x-operation`: a call that no source describes. */
export const ExternalOperation = z.strictObject({
  url: z
    .string()
    .min(1)
    .describe("Absolute URL; expressions in braces and {pathParameters} may stand in it."),
  method: z
    .enum([...METHODS, ...METHODS.map((method) => method.toLowerCase())])
    .describe("In capitals or not: other tools with this extension write it small."),
});
export type ExternalOperation = z.infer<typeof ExternalOperation>;
