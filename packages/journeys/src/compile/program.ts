import type { Condition, Criterion } from "../criteria/ast.ts";
import type { SelectorType, Template, ValueNode } from "../expressions/ast.ts";
import type { BodyRule, Operation, ParameterRule } from "../openapi/operation.ts";

/**
 * What the runner executes. It says what a journey means and nothing else: no file, line, time or machine, so that equal
 * meaning gives equal bytes.
 */
export interface Program {
  format: "journey-program/1";
  journey: { id: string; title: string; version: string };
  environment?: string;
  /** The document's `$self`. */
  self?: string;
  /** Key of the workflow that is run. */
  entry: string;
  workflows: Record<string, ProgramWorkflow>;
  operations: Record<string, Operation>;
  /** Response schemas, which refer to each other as `#/$defs/<key>`. */
  schemas: Record<string, unknown>;
  sources: Record<string, { url: string; type: string }>;
}

export interface ProgramWorkflow {
  id: string;
  /** JSON Schema 2020-12 of the inputs, self-contained. */
  inputs?: Record<string, unknown>;
  secrets: { input: string; ref: string }[];
  vars: Record<string, unknown>;
  dependsOn: string[];
  steps: ProgramStep[];
  outputs: Record<string, ValueNode>;
  teardown: { step: string; when?: { text: string; condition: Condition } }[];
  acceptance: ProgramAcceptance[];
}

export interface ProgramAcceptance {
  id: string;
  text: string;
  severity: string;
  links: { rel?: string; href: string }[];
  provenBy: { step: string; criterion: string }[];
}

export interface ProgramStep {
  id: string;
  target: StepTarget;
  parameters: ProgramParameter[];
  credentials: Credential[];
  body?: ProgramBody;
  criteria: Criterion[];
  onSuccess: ProgramAction[];
  onFailure: ProgramAction[];
  outputs: Record<string, ValueNode>;
  timeoutMs?: number;
  dependsOn: string[];
  poll?: ProgramPoll;
}

export type StepTarget =
  | { kind: "operation"; operation: string }
  | { kind: "external"; method: string; url: Template }
  | { kind: "workflow"; workflow: string };

export interface ProgramParameter {
  /** Absent where the parameter is an input of a workflow. */
  in?: "path" | "query" | "querystring" | "header" | "cookie";
  name: string;
  value: ValueNode;
  rule: ParameterRule;
}

/** A security scheme that an input satisfies. */
export interface Credential {
  kind: "basic" | "bearer" | "header" | "query" | "cookie";
  parameter?: string;
  input: string;
}

export interface ProgramBody {
  mediaType: string;
  payload?: ValueNode;
  rule: BodyRule;
  replacements: { target: Template; type: SelectorType; value: ValueNode }[];
}

export interface ProgramAction {
  name: string;
  type: "goto" | "end" | "retry";
  step?: string;
  workflow?: string;
  parameters: ProgramParameter[];
  retryAfterMs?: number;
  retryLimit?: number;
  criteria: Criterion[];
}

export interface ProgramPoll {
  until: { text: string; condition: Condition };
  failWhen?: { text: string; condition: Condition };
  everyMs: number;
  maxMs: number;
}
