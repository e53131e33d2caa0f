import { z } from "zod";
import { Condition, Criterion } from "../criteria/ast.ts";
import { SelectorType, Template, ValueNode } from "../expressions/ast.ts";
import { BodyRule, Operation, ParameterRule } from "../openapi/operation.ts";

const name = z.string().exactOptional();
const milliseconds = z.number().min(0);
const anyRecord = z.record(z.string(), z.unknown());

/** Names of outputs that the document declares as secrets. */
const SecretOutputs = z.array(z.string()).exactOptional();

const ConditionText = z.strictObject({ text: z.string(), condition: Condition });

const ProgramParameter = z.strictObject({
  /** Absent where the parameter is an input of a workflow. */
  in: z.enum(["path", "query", "querystring", "header", "cookie"]).exactOptional(),
  name: z.string(),
  value: ValueNode,
  rule: ParameterRule,
});
export type ProgramParameter = z.infer<typeof ProgramParameter>;

/** A security scheme that an input satisfies. */
const Credential = z.strictObject({
  kind: z.enum(["basic", "bearer", "header", "query", "cookie"]),
  parameter: name,
  input: z.string(),
});
export type Credential = z.infer<typeof Credential>;

const ProgramBody = z.strictObject({
  mediaType: z.string(),
  payload: ValueNode.exactOptional(),
  rule: BodyRule,
  replacements: z.array(z.strictObject({ target: Template, type: SelectorType, value: ValueNode })),
});
export type ProgramBody = z.infer<typeof ProgramBody>;

const ProgramAction = z.strictObject({
  name: z.string(),
  type: z.enum(["goto", "end", "retry"]),
  step: name,
  workflow: name,
  parameters: z.array(ProgramParameter),
  retryAfterMs: milliseconds.exactOptional(),
  retryLimit: z.int().min(0).exactOptional(),
  criteria: z.array(Criterion),
});
export type ProgramAction = z.infer<typeof ProgramAction>;

const ProgramPoll = z.strictObject({
  until: ConditionText,
  failWhen: ConditionText.exactOptional(),
  everyMs: milliseconds,
  maxMs: milliseconds,
});
export type ProgramPoll = z.infer<typeof ProgramPoll>;

const StepTarget = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("operation"), operation: z.string() }),
  z.strictObject({ kind: z.literal("external"), method: z.string(), url: Template }),
  z.strictObject({ kind: z.literal("workflow"), workflow: z.string() }),
]);
export type StepTarget = z.infer<typeof StepTarget>;

const ProgramStep = z.strictObject({
  id: z.string(),
  target: StepTarget,
  parameters: z.array(ProgramParameter),
  credentials: z.array(Credential),
  body: ProgramBody.exactOptional(),
  criteria: z.array(Criterion),
  onSuccess: z.array(ProgramAction),
  onFailure: z.array(ProgramAction),
  outputs: z.record(z.string(), ValueNode),
  secretOutputs: SecretOutputs,
  timeoutMs: milliseconds.exactOptional(),
  dependsOn: z.array(z.string()),
  poll: ProgramPoll.exactOptional(),
});
export type ProgramStep = z.infer<typeof ProgramStep>;

const ProgramAcceptance = z.strictObject({
  id: z.string(),
  text: z.string(),
  severity: z.string(),
  links: z.array(z.strictObject({ rel: name, href: z.string() })),
  provenBy: z.array(z.strictObject({ step: z.string(), criterion: z.string() })),
});
export type ProgramAcceptance = z.infer<typeof ProgramAcceptance>;

const ProgramWorkflow = z.strictObject({
  id: z.string(),
  /** JSON Schema 2020-12 of the inputs, self-contained. */
  inputs: anyRecord.exactOptional(),
  secrets: z.array(z.strictObject({ input: z.string(), ref: z.string() })),
  vars: anyRecord,
  dependsOn: z.array(z.string()),
  steps: z.array(ProgramStep),
  outputs: z.record(z.string(), ValueNode),
  secretOutputs: SecretOutputs,
  teardown: z.array(z.strictObject({ step: z.string(), when: ConditionText.exactOptional() })),
  acceptance: z.array(ProgramAcceptance),
});
export type ProgramWorkflow = z.infer<typeof ProgramWorkflow>;

/**
 * The part of an artifact that the runner executes. It describes only the actions of the journey, without files, lines,
 * times or machines, so that equal journeys give equal bytes.
 */
export const Program = z.strictObject({
  format: z.literal("journey-program/1"),
  journey: z.strictObject({ id: z.string(), title: z.string(), version: z.string() }),
  environment: name,
  /** The document's `$self`. */
  self: name,
  /** Key of the workflow that is run. */
  entry: z.string(),
  workflows: z.record(z.string(), ProgramWorkflow),
  operations: z.record(z.string(), Operation),
  /** Response schemas, which refer to each other as `#/$defs/<key>`. */
  schemas: anyRecord,
  sources: z.record(z.string(), z.strictObject({ url: z.string(), type: z.string() })),
});
export type Program = z.infer<typeof Program>;
