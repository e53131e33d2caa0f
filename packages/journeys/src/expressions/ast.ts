/**
 * A parsed runtime expression (Arazzo 1.1, Runtime Expressions). Plain JSON, because it is part of the artifact: the
 * runner never parses an expression's text. `pointer` holds decoded reference tokens (RFC 6901).
 */
export type Expression =
  | { kind: "url" | "method" | "statusCode" | "self" }
  | { kind: "header"; of: MessageSide; name: string }
  | { kind: "query" | "path"; of: MessageSide; name: string }
  | { kind: "body"; of: MessageSide; pointer?: string[] }
  | { kind: "inputs" | "outputs" | "vars"; name: string; pointer?: string[] }
  | { kind: "step"; step: string; output: string; pointer?: string[] }
  | { kind: "workflow"; workflow: string; field: "inputs" | "outputs"; name: string; pointer?: string[] }
  | { kind: "source"; source: string; reference: string }
  | { kind: "component"; type: ComponentType; name: string };

export type MessageSide = "request" | "response" | "message";

export type ComponentType = "parameters" | "successActions" | "failureActions" | "inputs";

/** A string with embedded expressions: literal text and expressions in turn. */
export type Template = (string | Expression)[];

/** A value of a document with every expression in it parsed. Constants are kept as `{const}`. */
export type ValueNode =
  | { const: unknown }
  | { expr: Expression }
  | { template: Template }
  /** JSON text with expressions in it, sent as it is written. */
  | { json: Template }
  /** Members in the author's order; `keys` has the names that are templates, by their text. */
  | { object: Record<string, ValueNode>; keys?: Record<string, Template> }
  | { array: ValueNode[] }
  | { selector: Selector };

/** An Arazzo 1.1 Selector Object: a selector applied to what `context` evaluates to. */
export interface Selector {
  context: Expression;
  selector: Template;
  type: SelectorType;
}

export interface SelectorType {
  type: "jsonpath" | "xpath" | "jsonpointer";
  version?: string;
}

/** Why a text is no runtime expression, and where (a 0-based offset into the text). */
export interface ExpressionProblem {
  message: string;
  offset: number;
}

export type ParseResult<T> = { ok: true; value: T } | { ok: false; problem: ExpressionProblem };
