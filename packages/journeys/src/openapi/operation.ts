/** An operation as the program carries it: all that a request needs, no reference left. */
export interface Operation {
  source: string;
  operationId?: string;
  method: string;
  path: string;
  /** Base URL without a slash at its end; absent when the description names none that is absolute. */
  server?: string;
  /** By `in:name`, header names in lower case. */
  parameters: Record<string, ParameterRule>;
  /** By media type, in the order of preference. */
  request: { mediaType: string; rule: BodyRule }[];
  /** By status as the description has it: `200`, `2XX`, `default`. */
  responses: Record<string, ResponseRule>;
  /** Alternatives; each is a list of schemes that are all needed. */
  security: SecurityScheme[][];
}

export type ParameterStyle =
  "simple" | "label" | "matrix" | "form" | "spaceDelimited" | "pipeDelimited" | "tabDelimited" | "deepObject";

/** How a value becomes text. `contentType` stands for a parameter that is described by content. */
export interface ParameterRule {
  style: ParameterStyle;
  explode: boolean;
  required?: boolean;
  allowReserved?: boolean;
  contentType?: string;
}

/** How the properties of a form body are written, by name. */
export interface BodyRule {
  properties?: Record<string, PropertyRule>;
}

export interface PropertyRule {
  contentType?: string;
  style?: ParameterStyle;
  explode?: boolean;
  allowReserved?: boolean;
  binary?: boolean;
}

/** `content` maps media types to the key of a schema in the program, or to null when there is none. */
export interface ResponseRule {
  content: Record<string, string | null>;
}

export interface SecurityScheme {
  /** Its name in the description. */
  name: string;
  kind: "basic" | "bearer" | "header" | "query" | "cookie" | "unsupported";
  /** Of the header, query parameter or cookie. */
  parameter?: string;
}
