import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { createContext } from "react";
import type { LinkedJourney } from "../visual/sub-journeys-context.ts";

/** A value that an operation takes, as its description says. */
export interface KnownField {
  name: string;
  isRequired: boolean;
  /** Such as `string, at most 20 characters`. */
  type: string;
  choices: JsonValue[] | undefined;
  description: string;
}

export interface KnownParameter extends KnownField {
  in: string;
  sample: Sample;
}

/** Creates a value that the schema allows. Its code loads with the first call, because it is as large as the view. */
export type Sample = () => Promise<JsonValue>;

/** An operation of a description that the journey names. */
export interface KnownOperation {
  source: string;
  operationId: string | undefined;
  method: string;
  path: string;
  summary: string;
  parameters: KnownParameter[];
  /** The members of a JSON body; undefined if it has none, or is no object. */
  body: { contentType: string; fields: KnownField[]; sample: Sample } | undefined;
  /** The names of the members of a successful JSON response. */
  responseFields: string[];
}

/** The operations that are known from the descriptions of a journey. */
export interface KnownOperations {
  operations: readonly KnownOperation[];
  /** True if every source could be read, so that an operation that is missing here does not exist. */
  isComplete: boolean;
  /** The journeys among the sources. */
  linked: readonly LinkedJourney[];
}

export const NOTHING_KNOWN: KnownOperations = { operations: [], isComplete: false, linked: [] };
export const OperationsContext = createContext(NOTHING_KNOWN);

/** An id with the source that it names, as in `$sourceDescriptions.shop.getItem`. */
export function sourceAndName(id: string): { source: string | undefined; name: string } {
  const [, source, name = id] = /^\$sourceDescriptions\.([A-Za-z0-9_-]+)\.(.+)$/.exec(id) ?? [];
  return { source, name };
}

/** The operation that a step calls, by its id or by its place in the description. */
export function operationOf({ operations }: KnownOperations, step: JsonObject): KnownOperation | undefined {
  const { operationId, operationPath } = step;
  if (typeof operationId === "string") {
    const { source, name } = sourceAndName(operationId);
    return operations.find(
      (one) => one.operationId === name && (source === undefined || one.source === source),
    );
  }
  if (typeof operationPath !== "string") return undefined;
  const [, source, path = "", method] =
    /^\{\$sourceDescriptions\.([A-Za-z0-9_-]+)\.url\}#\/paths\/([^/]+)\/(\w+)$/.exec(operationPath) ?? [];
  const wanted = path.replaceAll("~1", "/").replaceAll("~0", "~");
  return operations.find((one) => one.source === source && one.path === wanted && one.method === method);
}

/** A step's call of an operation, with a value for everything that the operation requires. */
export async function callOf(operation: KnownOperation): Promise<JsonObject> {
  const { source, operationId, method, path, parameters, body } = operation;
  const place = path.replaceAll("~", "~0").replaceAll("/", "~1");
  const required = await Promise.all(parameters.filter(({ isRequired }) => isRequired).map(parameterOf));
  const requestBody = body && (await requestBodyOf(body));
  return {
    ...(operationId === undefined
      ? { operationPath: `{$sourceDescriptions.${source}.url}#/paths/${place}/${method}` }
      : { operationId }),
    ...(required.length > 0 && { parameters: required }),
    ...(requestBody !== undefined && { requestBody }),
  };
}

export async function parameterOf({ name, in: place, sample }: KnownParameter): Promise<JsonObject> {
  return { name, in: place, value: await sample() };
}

export async function requestBodyOf({
  contentType,
  sample,
}: NonNullable<KnownOperation["body"]>): Promise<JsonObject> {
  return { contentType, payload: await sample() };
}

/** Describes the value of a field, for its form. */
export function describeField({ isRequired, type, description }: KnownField): string {
  return [isRequired ? "required" : "optional", type, description].filter((part) => part !== "").join(", ");
}
