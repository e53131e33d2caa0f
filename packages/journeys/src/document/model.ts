import { z } from "zod";
import {
  FailureAction,
  FailureActionOrReusable,
  Parameter,
  ParameterOrReusable,
  SuccessAction,
  SuccessActionOrReusable,
} from "./actions.ts";
import { Criterion, Selector } from "./criteria.ts";
import { extensible, Json, JsonRecord } from "./extensible.ts";
import { ExternalOperation, InfoExtension, StepExtension, WorkflowExtension } from "./extensions.ts";

/** A JSON Schema 2020-12; its own rules are checked where it is compiled. */
export const InputSchema = z.union([z.boolean(), JsonRecord]);

/** RFC 3986, section 4.1: only its characters, escapes of two digits, at most one fragment, and no colon before a path but a scheme's. */
const URI_REFERENCE =
  /^(?:[A-Za-z][A-Za-z0-9+.-]*:|(?![^/?#]*:))(?:[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*(?:#(?:[A-Za-z0-9\-._~:/?@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*)?$/;

export const UriReference = z
  .string()
  .regex(URI_REFERENCE, "must be a URI reference; write a space as %20 and \\ as /");

export const Outputs = z.record(
  z.string().regex(/^[a-zA-Z0-9._-]+$/, "must be letters, digits, '.', '-' and '_'"),
  z.union([z.string(), Selector]),
);
export type Outputs = z.infer<typeof Outputs>;

export const Replacement = extensible({
  target: z.string(),
  targetSelectorType: Selector.shape.type.optional(),
  value: z.union([Selector, Json]),
});
export type Replacement = z.infer<typeof Replacement>;

export const RequestBody = extensible({
  contentType: z.string().min(1).optional(),
  payload: Json.optional(),
  replacements: z.array(Replacement).optional(),
});
export type RequestBody = z.infer<typeof RequestBody>;

export const Step = extensible({
  stepId: z.string().min(1),
  description: z.string().optional(),
  operationId: z.string().min(1).optional(),
  operationPath: z.string().min(1).optional(),
  workflowId: z.string().min(1).optional(),
  channelPath: z.string().min(1).optional(),
  action: z.enum(["send", "receive"]).optional(),
  correlationId: Json.optional(),
  timeout: z.int().min(0).optional().describe("Milliseconds."),
  dependsOn: z.array(z.string().min(1)).optional(),
  parameters: z.array(ParameterOrReusable).optional(),
  requestBody: RequestBody.optional(),
  successCriteria: z.array(Criterion).min(1).optional(),
  onSuccess: z.array(SuccessActionOrReusable).optional(),
  onFailure: z.array(FailureActionOrReusable).optional(),
  outputs: Outputs.optional(),
  "x-operation": ExternalOperation.optional(),
  "x-journey": StepExtension.optional(),
});
export type Step = z.infer<typeof Step>;

export const Workflow = extensible({
  workflowId: z.string().min(1),
  summary: z.string().optional(),
  description: z.string().optional(),
  inputs: InputSchema.optional(),
  dependsOn: z.array(z.string().min(1)).optional(),
  steps: z.array(Step).min(1),
  successActions: z.array(SuccessActionOrReusable).optional(),
  failureActions: z.array(FailureActionOrReusable).optional(),
  outputs: Outputs.optional(),
  parameters: z.array(ParameterOrReusable).optional(),
  "x-journey": WorkflowExtension.optional(),
});
export type Workflow = z.infer<typeof Workflow>;

export const SourceDescription = extensible({
  name: z.string().min(1),
  url: UriReference.min(1),
  type: z.enum(["openapi", "arazzo", "asyncapi"]).optional(),
});
export type SourceDescription = z.infer<typeof SourceDescription>;

const componentName = z.string().regex(/^[a-zA-Z0-9._-]+$/, "must be letters, digits, '.', '-' and '_'");

export const Components = extensible({
  inputs: z.record(componentName, InputSchema).optional(),
  parameters: z.record(componentName, Parameter).optional(),
  successActions: z.record(componentName, SuccessAction).optional(),
  failureActions: z.record(componentName, FailureAction).optional(),
});
export type Components = z.infer<typeof Components>;

export const Info = extensible({
  title: z.string().min(1),
  summary: z.string().optional(),
  description: z.string().optional(),
  version: z.string().min(1),
  "x-journey": InfoExtension.optional(),
});
export type Info = z.infer<typeof Info>;

/**
 * An Arazzo 1.0.x or 1.1 document with the x-journey extensions. Unknown `x-` fields are kept and untyped.
 * `sourceDescriptions` may be empty only where every step is an `x-operation` or calls a workflow: lint says so.
 */
export const ArazzoDocument = extensible({
  arazzo: z.string().regex(/^1\.[01]\.\d+(-.+)?$/, "must be 1.0.x or 1.1.x"),
  $self: UriReference.regex(/^[^#]*$/, "must not have a fragment").optional(),
  info: Info,
  sourceDescriptions: z.array(SourceDescription),
  workflows: z.array(Workflow).min(1),
  components: Components.optional(),
});
export type ArazzoDocument = z.infer<typeof ArazzoDocument>;
