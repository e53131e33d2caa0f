import { isObject, ownObject, ownValue } from "@waymark/openapi/json.ts";
import { childPointer, encodePointer } from "@waymark/openapi/pointer.ts";
import { keywordOf, propertiesOf } from "../document/input-schema.ts";
import type { Placed, RuleContext } from "./context.ts";
import { schemaProblems } from "./schema-faults.ts";

/** The schema of a workflow's inputs is valid, every secret is an input, and no secret has its value in the document. */
export function inputRules(context: RuleContext, { value, pointer }: Placed): void {
  const inputs = ownValue(value, "inputs");
  const at = childPointer(pointer, "inputs");
  const isSchema = isObject(inputs) || typeof inputs === "boolean";
  for (const { path, message } of isSchema ? schemaProblems(inputs) : []) {
    const place = `${at}${encodePointer(path)}`;
    context.report(place, "invalid-schema", `The schema of the inputs is not valid: ${message}.`);
  }
  const secrets = ownObject(ownObject(value, "x-journey"), "secrets") ?? {};
  const schema = isObject(inputs) ? inputs : undefined;
  const properties = propertiesOf(schema, context.root) ?? {};
  for (const name of Object.keys(secrets)) {
    if (Object.hasOwn(properties, name)) continue;
    const place = `${pointer}${encodePointer(["x-journey", "secrets", name])}`;
    context.report(place, "unknown-input", `The secret "${name}" is no input of this workflow.`);
  }
  for (const [name, property] of Object.entries(properties)) {
    const { root, isOwn } = context;
    if (!Object.hasOwn(secrets, name) && keywordOf(root, property, "format") !== "password") continue;
    for (const keyword of ["default", "const", "enum", "example", "examples"]) {
      if (keywordOf(root, property, keyword) === undefined) continue;
      const place = `${at}${encodePointer(["properties", name, keyword])}`;
      const message = `"${name}" is a secret: remove its ${keyword} and refer to it in x-journey.secrets.`;
      context.report(place, "secret-literal", message, isOwn ? "error" : "warning");
    }
  }
}
