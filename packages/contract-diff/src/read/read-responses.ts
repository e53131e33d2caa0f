import { isObject, ownValue } from "@waymark/openapi/json.ts";
import type { At, Description } from "./description.ts";
import { mediaTypesOf } from "./media-types.ts";
import type { Response } from "./operation.ts";
import { contentOf, readContent } from "./read-content.ts";
import { readHeaders } from "./read-headers.ts";

/** Returns the responses by their status: a code, a range such as `4XX`, or `DEFAULT`. */
export function readResponses(description: Description, at: At): Map<string, Response> {
  const responses = new Map<string, Response>();
  for (const [status, response] of description.members(description.member(at, "responses"))) {
    if (status.startsWith("x-") || !isObject(response.value)) continue;
    const content =
      description.dialect === "2.0"
        ? content2(description, at, response)
        : readContent(description, response);
    const headers = readHeaders(description, response);
    responses.set(status.toUpperCase(), { status: status.toUpperCase(), content, headers, at: response });
  }
  return responses;
}

function content2(description: Description, operation: At, response: At): Response["content"] {
  if (ownValue(response.value, "schema") === undefined) return new Map();
  const types = mediaTypesOf(description, operation, "produces");
  return contentOf(
    types.length === 0 ? ["application/json"] : types,
    description.schema(response, "schema"),
    response,
  );
}
