import type { OperationName } from "@waymark/contract-diff/verdict.ts";

/** An operation in the list of a description. */
export interface OperationSummary extends OperationName {
  operationId: string | null;
  summary: string | null;
  tags: readonly string[];
  deprecated: boolean;
}

/** A description without what is inside its operations and schemas. */
export interface DescriptionIndex {
  title: string;
  version: string;
  /** Such as `OpenAPI 3.1.0`. */
  language: string;
  description: string | null;
  servers: readonly string[];
  /** The tags in the order of the description, then those that only operations have. */
  tags: readonly { name: string; description: string | null }[];
  operations: readonly OperationSummary[];
  schemas: readonly { name: string; schema: SchemaView }[];
}

/** A schema without what is inside it. */
export interface SchemaView {
  /** The type in words, such as `array of Pet or null`. */
  type: string;
  /** The limits of the values, each in words, such as `at most 20 characters`. */
  facts: readonly string[];
  description: string | null;
  deprecated: boolean;
  /**
   * The place of the schema that unfolding shows; null if there is nothing inside. Equal for equal schemas, so that recursion is seen.
   */
  opens: string | null;
}

export interface SchemaEntry {
  /** The name of a property, or empty. */
  name: string;
  required: boolean;
  schema: SchemaView;
}

/** Parts of a schema of one kind, such as its properties. */
export interface SchemaGroup {
  title: string;
  entries: readonly SchemaEntry[];
  /** The number of entries that are left out. */
  more: number;
}

export interface ParameterView {
  in: string;
  name: string;
  required: boolean;
  deprecated: boolean;
  description: string | null;
  schema: SchemaView;
}

export interface MediaView {
  name: string;
  /** Null if the description says nothing about the values. */
  schema: SchemaView | null;
  example: string | null;
}

export interface ResponseView {
  status: string;
  description: string | null;
  headers: readonly ParameterView[];
  content: readonly MediaView[];
}

/** All that a description says about an operation, schemas still folded. */
export interface OperationView extends OperationSummary {
  description: string | null;
  /** The day on which it ends, as written. */
  sunset: string | null;
  servers: readonly string[];
  /** The alternatives to authenticate, each in words; empty if none is needed. */
  security: readonly string[];
  parameters: readonly ParameterView[];
  body: { required: boolean; description: string | null; content: readonly MediaView[] } | null;
  responses: readonly ResponseView[];
  callbacks: readonly OperationSummary[];
}

/** A part of a description as JSON. */
export interface DescriptionPart {
  /** The place of it: above the one that was asked for, where that is only a keyword. */
  pointer: string;
  text: string;
  /** The levels of it that are shown. */
  depth: number;
  /** True if something in it is left out. */
  isCut: boolean;
}

/** A question to the thread that has read the description. */
export type Question =
  | { ask: "index" }
  | { ask: "operation"; name: OperationName }
  | { ask: "schema"; schema: string }
  | { ask: "part"; pointer: string; depth?: number };

export interface Answers {
  index: DescriptionIndex;
  /** Null if the description has no such operation. */
  operation: OperationView | null;
  schema: readonly SchemaGroup[];
  /** Null if only the whole description has the place. */
  part: DescriptionPart | null;
}

/** The reason why the description was not read. */
export interface ReadFailure {
  /** The status of the response; 0 if there was none. */
  status: number;
  /** The body of the response. */
  body: unknown;
  message: string;
}

export type Answer = { id: number; value: Answers[keyof Answers] } | { id: number; failure: ReadFailure };
