import type { OperationName } from "../verdict.ts";
import type { At, Description } from "./description.ts";
import type { Conjunction } from "./node.ts";

export type ParameterPlace = "path" | "query" | "header" | "cookie" | "querystring";

export interface Parameter {
  in: ParameterPlace;
  name: string;
  required: boolean;
  style: string;
  explode: boolean;
  allowReserved: boolean;
  allowEmptyValue: boolean;
  schema: Conjunction;
  /** The media type of its value, if the parameter has `content`. */
  mediaType: string | undefined;
  deprecated: boolean;
  sunset: string | undefined;
  at: At;
}

export interface Header {
  name: string;
  required: boolean;
  schema: Conjunction;
  /** How its value is written, such as `content application/json`. */
  written: string;
  at: At;
}

export interface MediaType {
  /** As written. */
  name: string;
  /** Undefined if the description says nothing about the values. */
  schema: Conjunction | undefined;
  /** The schema of each item of a stream. */
  itemSchema: Conjunction | undefined;
  encoding: ReadonlyMap<string, PartEncoding>;
  at: At;
}

/** The form of one part of a multipart body. */
export interface PartEncoding {
  contentTypes: readonly string[] | undefined;
  style: string | undefined;
  explode: boolean | undefined;
  allowReserved: boolean;
  /** By their name in lower case. */
  headers: ReadonlyMap<string, Header>;
}

export interface Body {
  required: boolean;
  content: ReadonlyMap<string, MediaType>;
  at: At;
}

export interface Response {
  status: string;
  content: ReadonlyMap<string, MediaType>;
  headers: ReadonlyMap<string, Header>;
  at: At;
}

/** The servers of an operation. */
export interface Servers {
  /** Without a slash at the end, the default ones first. */
  addresses: ReadonlySet<string>;
  /** The addresses as verdicts have them. */
  text: string;
  /** The paths of the addresses, each once. */
  basePaths: readonly string[];
  /** True if the variables make more addresses than are read. */
  isCut: boolean;
}

/** The security schemes that a request must satisfy together, each with its scopes. */
export type SecurityAlternative = ReadonlyMap<string, ReadonlySet<string>>;

export interface Operation extends OperationName {
  description: Description;
  operationId: string | undefined;
  parameters: readonly Parameter[];
  body: Body | undefined;
  responses: ReadonlyMap<string, Response>;
  security: readonly SecurityAlternative[];
  servers: Servers;
  deprecated: boolean;
  sunset: string | undefined;
  stability: string | undefined;
  callbacks: readonly Operation[];
  at: At;
  /** The values that the operation inherits: the description's defaults and the path's parameters. */
  shared: readonly At[];
}
