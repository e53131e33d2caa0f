import { z } from "zod";
import { PARAMETER_STYLES } from "./parameter-rule.ts";

const name = z.string().exactOptional();
const flag = z.boolean().exactOptional();

const ParameterStyle = z.enum(PARAMETER_STYLES);
export type ParameterStyle = z.infer<typeof ParameterStyle>;

/** The way in which a value is written as text. `contentType` is for a parameter that is described by content. */
export const ParameterRule = z.strictObject({
  style: ParameterStyle,
  explode: z.boolean(),
  required: flag,
  allowReserved: flag,
  contentType: name,
});
export type ParameterRule = z.infer<typeof ParameterRule>;

const PropertyRule = z.strictObject({
  contentType: name,
  style: ParameterStyle.exactOptional(),
  explode: flag,
  allowReserved: flag,
  binary: flag,
});
export type PropertyRule = z.infer<typeof PropertyRule>;

/** The way in which the properties of a form body are written, by name. */
export const BodyRule = z.strictObject({
  properties: z.record(z.string(), PropertyRule).exactOptional(),
  /** The first parts of a body that is a list of parts, and the others. */
  prefix: z.array(PropertyRule).exactOptional(),
  item: PropertyRule.exactOptional(),
});
export type BodyRule = z.infer<typeof BodyRule>;

/** `content` maps media types to the key of a schema in the program, or to null when there is none. */
const ResponseRule = z.strictObject({ content: z.record(z.string(), z.string().nullable()) });
export type ResponseRule = z.infer<typeof ResponseRule>;

const SecurityScheme = z.strictObject({
  /** Its name in the description. */
  name: z.string(),
  kind: z.enum(["basic", "bearer", "header", "query", "cookie", "unsupported"]),
  /** The name of the header, query parameter or cookie. */
  parameter: name,
});
export type SecurityScheme = z.infer<typeof SecurityScheme>;

/** An operation in the program: everything that a request needs, without references. */
export const Operation = z.strictObject({
  source: z.string(),
  operationId: name,
  method: z.string(),
  path: z.string(),
  /** The base URL without a slash at its end; absent if the description has no absolute one. */
  server: name,
  /** The parameters by `in:name`, header names in lower case. */
  parameters: z.record(z.string(), ParameterRule),
  /** The media types in the order of preference. */
  request: z.array(z.strictObject({ mediaType: z.string(), rule: BodyRule })),
  /** The responses by status, as the description has it: `200`, `2XX`, `default`. */
  responses: z.record(z.string(), ResponseRule),
  /** Alternatives; each is a list of schemes that are all required. */
  security: z.array(z.array(SecurityScheme)),
});
export type Operation = z.infer<typeof Operation>;
