import { ownString, ownValue } from "@waymark/openapi/json.ts";
import { member, rootOf } from "@waymark/openapi/references.ts";
import type { Located, OpenApiSource } from "@waymark/openapi/references.ts";
import type { SecurityScheme } from "./operation.ts";

/** The security alternatives of an operation: its own, otherwise those of the description. */
export function securityOf(source: OpenApiSource, operation: Located): SecurityScheme[][] {
  const listed = ownValue(operation.value, "security") ?? ownValue(source.document, "security");
  if (!Array.isArray(listed)) return [];
  return listed.map((alternative: unknown) =>
    Object.keys(typeof alternative === "object" && alternative !== null ? alternative : {}).map((name) =>
      schemeOf(source, name),
    ),
  );
}

function schemeOf(source: OpenApiSource, name: string): SecurityScheme {
  const root = rootOf(source);
  const components = member(source, root, "components");
  const owner =
    components === undefined
      ? member(source, root, "securityDefinitions")
      : member(source, components, "securitySchemes");
  const scheme = owner === undefined ? undefined : member(source, owner, name)?.value;
  const parameter = ownValue(scheme, "name");
  switch (ownValue(scheme, "type")) {
    case "basic":
      return { name, kind: "basic" };
    case "oauth2":
    case "openIdConnect":
      return { name, kind: "bearer" };
    case "http": {
      const kind = ownString(scheme, "scheme")?.toLowerCase();
      return { name, kind: kind === "basic" || kind === "bearer" ? kind : "unsupported" };
    }
    case "apiKey": {
      const place = ownValue(scheme, "in");
      if (typeof parameter !== "string") break;
      if (place === "header" || place === "query" || place === "cookie")
        return { name, kind: place, parameter };
      break;
    }
    default:
  }
  return { name, kind: "unsupported" };
}
