import { createServer } from "node:http";
import { isObject, ownArray, ownObject, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { dereferenced } from "@waymark/journey-authoring/template/openapi-shape.ts";

export interface OpenApiServer extends AsyncDisposable {
  url: string;
  /** Such as `GET /pets?limit=1`. */
  requests: string[];
}

/** Other responses by operation, such as `POST /pets`, if the description has none that a journey can use. */
export type Answers = Readonly<Record<string, { status?: number; body?: unknown }>>;

const METHODS = ["get", "post", "put", "patch", "delete"];
const DEPTH_MAX = 8;

/**
 * A real HTTP server made from an OpenAPI description alone: each operation answers with its first documented status below 400 and the
 * example of its response, or one made from its schema; any other request is refused with 404.
 */
export async function startOpenApiServer(root: JsonObject, answers: Answers = {}): Promise<OpenApiServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    const method = request.method ?? "";
    requests.push(`${method} ${request.url}`);
    const pathname = (request.url ?? "").split("?")[0] ?? "";
    const { status, body } = answerOf(root, { method, pathname }, answers);
    response.writeHead(status, body === undefined ? {} : { "content-type": "application/json" });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerOf(
  root: JsonObject,
  { method, pathname }: { method: string; pathname: string },
  answers: Answers,
): { status: number; body?: unknown } {
  const paths = ownObject(root, "paths") ?? {};
  const template = Object.keys(paths)
    .toSorted((a, b) => a.split("{").length - b.split("{").length)
    .find((candidate) => new RegExp(`^${candidate.replaceAll(/\{[^{}]*\}/g, "[^/]+")}$`).test(pathname));
  const name = METHODS.find((known) => known === method.toLowerCase());
  if (template === undefined || name === undefined) return { status: 404 };
  const value = ownObject(dereferenced(root, ownValue(paths, template)), name);
  if (value === undefined) return { status: 404 };
  const responses = ownObject(value, "responses") ?? {};
  const documented = Object.keys(responses).filter((code) => /^[23]\d\d$/.test(code));
  const given = answers[`${method} ${pathname}`];
  const status = given?.status ?? Number(documented.toSorted()[0] ?? 200);
  if (given !== undefined && "body" in given) return { status, body: given.body };
  const response = dereferenced(root, ownValue(responses, String(status)));
  const media = ownValue(ownObject(response, "content"), "application/json");
  if (media === undefined) return { status };
  return { status, body: exampleOf(root, media) ?? fullSample(root, ownValue(media, "schema"), 0) };
}

function exampleOf(root: JsonObject, media: JsonValue): JsonValue | undefined {
  const example = ownValue(media, "example");
  if (example !== undefined) return example;
  const [first] = Object.values(ownObject(media, "examples") ?? {});
  return isObject(first) ? ownValue(dereferenced(root, first), "value") : undefined;
}

/** A value with everything that a schema describes: every property, one item of each list. */
function fullSample(root: JsonObject, given: JsonValue | undefined, depth: number): JsonValue {
  const schema = dereferenced(root, given);
  for (const name of ["example", "const", "default"]) {
    const value = ownValue(schema, name);
    if (value !== undefined) return value;
  }
  const [first] = [...ownArray(schema, "enum"), ...ownArray(schema, "examples")];
  if (first !== undefined) return first;
  if (depth > DEPTH_MAX) return null;
  const parts = [...ownArray(schema, "allOf"), ...ownArray(schema, "oneOf").slice(0, 1)];
  const inherited = parts.map((part) => fullSample(root, part, depth + 1)).filter(isObject);
  const properties = Object.entries(ownObject(schema, "properties") ?? {});
  if (properties.length + inherited.length > 0) {
    const own = properties.map(([name, property]) => [name, fullSample(root, property, depth + 1)]);
    return Object.assign({}, ...inherited, Object.fromEntries(own));
  }
  switch (ownValue(schema, "type")) {
    case "array":
      return [fullSample(root, ownValue(schema, "items"), depth + 1)];
    case "integer":
    case "number":
      return 7;
    case "boolean":
      return false;
    case "object":
      return {};
    default:
      return "sample";
  }
}
