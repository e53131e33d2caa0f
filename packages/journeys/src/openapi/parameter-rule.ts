import { ownString, ownValue } from "@waymark/openapi/json.ts";
import { member, members } from "@waymark/openapi/references.ts";
import type { Located, OpenApiSource } from "@waymark/openapi/references.ts";
import type { ParameterRule, ParameterStyle } from "./operation.ts";

/** The styles of OpenAPI. They stand apart from the model, which loads zod. */
export const PARAMETER_STYLES = [
  "simple",
  "label",
  "matrix",
  "form",
  "spaceDelimited",
  "pipeDelimited",
  "tabDelimited",
  "deepObject",
  "cookie",
] as const;
const STYLES: readonly string[] = PARAMETER_STYLES;

export function isStyle(value: unknown): value is ParameterStyle {
  return typeof value === "string" && STYLES.includes(value);
}

/** Whether lists and objects of a style have a pair for each item when nothing says otherwise. */
export function explodesByDefault(style: ParameterStyle): boolean {
  return style === "form" || style === "deepObject" || style === "cookie";
}

/** The style a location has when nothing says otherwise. */
export function defaultRule(place: string): ParameterRule {
  return place === "query" || place === "cookie"
    ? { style: "form", explode: true }
    : { style: "simple", explode: false };
}

const COLLECTIONS: Record<string, { style: ParameterStyle; explode: boolean }> = {
  ssv: { style: "spaceDelimited", explode: false },
  tsv: { style: "tabDelimited", explode: false },
  pipes: { style: "pipeDelimited", explode: false },
  multi: { style: "form", explode: true },
};

/** How a parameter's value is written, from OpenAPI's style and explode or Swagger's collectionFormat. */
export function describeParameter(source: OpenApiSource, parameter: Located, place: string): ParameterRule {
  const { value } = parameter;
  const rule = defaultRule(place);
  const style = ownValue(value, "style");
  const isSwagger = ownValue(value, "schema") === undefined && ownValue(value, "type") !== undefined;
  if (isSwagger) {
    const format = ownValue(value, "collectionFormat");
    const inQuery = place === "query" || place === "formData";
    Object.assign(rule, { style: inQuery ? "form" : "simple", explode: false });
    if (typeof format === "string" && Object.hasOwn(COLLECTIONS, format))
      Object.assign(rule, COLLECTIONS[format]);
  } else if (isStyle(style)) {
    rule.style = style;
    rule.explode = explodesByDefault(style);
  }
  const explode = ownValue(value, "explode");
  if (typeof explode === "boolean") rule.explode = explode;
  if (ownValue(value, "required") === true) rule.required = true;
  // Since 3.2 it also applies to paths and cookies.
  const isReservedPlace = place === "query" || isAtLeast32(source.document);
  if (ownValue(value, "allowReserved") === true && isReservedPlace) rule.allowReserved = true;
  const [content] = members(source, member(source, parameter, "content"));
  if (content !== undefined) rule.contentType = content[0];
  return rule;
}

function isAtLeast32(document: unknown): boolean {
  return /^3\.(?:[2-9]|\d\d)/.test(ownString(document, "openapi") ?? "");
}
