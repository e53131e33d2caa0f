import type { At, Description } from "@waymark/contract-diff/read/description.ts";
import type { MediaType, Operation, SecurityAlternative } from "@waymark/contract-diff/read/operation.ts";
import { isObject, type JsonValue, ownArray, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { MediaView, OperationSummary, OperationView, ParameterView } from "./messages.ts";
import type { SchemaReader } from "./read-schema.ts";

const EXAMPLE_CHARS_MAX = 10_000;
const SERVERS_MAX = 20;

export function summaryOf(operation: Operation): OperationSummary {
  const { method, path, kind, operationId, deprecated, at } = operation;
  return {
    method,
    path,
    kind,
    operationId: operationId ?? null,
    summary: ownString(at.value, "summary") ?? null,
    tags: ownArray(at.value, "tags").filter((tag) => typeof tag === "string"),
    deprecated,
  };
}

/** Returns all that a description says about an operation, schemas still folded. */
export function viewOf(description: Description, schemas: SchemaReader, operation: Operation): OperationView {
  const { body, at } = operation;
  return {
    ...summaryOf(operation),
    description: textOf(at, "description"),
    sunset: operation.sunset ?? null,
    servers: [...operation.servers.addresses].filter((one) => one !== "").slice(0, SERVERS_MAX),
    security: operation.security.map(describeSecurity).filter((words) => words !== ""),
    parameters: operation.parameters.map((parameter) => ({
      in: parameter.in,
      name: parameter.name,
      required: parameter.required,
      deprecated: parameter.deprecated,
      description: textOf(parameter.at, "description"),
      schema: schemas.view(parameter.schema),
    })),
    body:
      body === undefined
        ? null
        : {
            required: body.required,
            description: textOf(body.at, "description"),
            content: mediaOf(description, schemas, body.content),
          },
    responses: [...operation.responses.values()].map((response) => ({
      status: response.status.toLowerCase() === "default" ? "default" : response.status,
      description: textOf(response.at, "description"),
      headers: [...response.headers.values()].map(({ name, required, schema, at: place }): ParameterView => ({
        in: "header",
        name,
        required,
        deprecated: ownValue(place.value, "deprecated") === true,
        description: textOf(place, "description"),
        schema: schemas.view(schema),
      })),
      content: mediaOf(description, schemas, response.content),
    })),
    callbacks: operation.callbacks.map(summaryOf),
  };
}

function mediaOf(
  description: Description,
  schemas: SchemaReader,
  content: ReadonlyMap<string, MediaType>,
): MediaView[] {
  return [...content.values()].map(({ name, schema, itemSchema, at }) => {
    const shown = schema ?? itemSchema;
    return {
      name,
      schema: shown === undefined ? null : schemas.view(shown),
      example: exampleOf(description, at),
    };
  });
}

/** Returns the first example of a body as text; null if there is none. */
function exampleOf(description: Description, at: At): string | null {
  const first = description.members(description.member(at, "examples"))[0]?.[1].value;
  const value = ownValue(at.value, "example") ?? (isObject(first) ? ownValue(first, "value") : undefined);
  return value === undefined ? null : exampleText(value);
}

function exampleText(value: JsonValue): string {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return text.length > EXAMPLE_CHARS_MAX ? `${text.slice(0, EXAMPLE_CHARS_MAX)}…` : text;
}

/** Says what a request needs, such as `http bearer` or `oauth2 (read, write)`. */
function describeSecurity(alternative: SecurityAlternative): string {
  if (alternative.size === 0) return "no authentication";
  return [...alternative]
    .map(([scheme, scopes]) => (scopes.size === 0 ? scheme : `${scheme} (${[...scopes].join(", ")})`))
    .join(" and ");
}

function textOf(at: At, key: string): string | null {
  const text = ownString(at.value, key);
  return text === undefined || text === "" ? null : text;
}
