import { isObject, ownObject, ownString } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import { checkDocument } from "@waymark/journeys/rules/check-document.ts";
import { newYaml } from "../template/write-yaml.ts";
import type { Importing, ImportResult } from "./imported.ts";
import { dropSecretDefaults, withoutSecrets } from "./secret-values.ts";

/** The document, which always passes lint; a file that would give another one is refused. */
export function finishImport(importing: Importing, title: string, recorded: JsonObject[]): ImportResult {
  if (recorded.length === 0)
    return { ok: false, message: "The file has no request that a journey could make." };
  const steps = withoutSecrets(importing, recorded).map((step) => {
    const outputs = importing.outputs.get(ownString(step, "stepId") ?? "");
    return outputs === undefined ? step : { ...step, outputs: { ...ownObject(step, "outputs"), ...outputs } };
  });
  dropSecretDefaults(importing);
  const workflow: JsonObject = { workflowId: "main" };
  if (importing.inputs.size > 0) {
    const required = [...importing.inputs].flatMap(([name, schema]) =>
      Object.hasOwn(schema, "default") ? [] : [name],
    );
    const inputs: JsonObject = { type: "object" };
    if (required.length > 0) inputs["required"] = required;
    workflow["inputs"] = { ...inputs, properties: Object.fromEntries(importing.inputs) };
  }
  workflow["steps"] = steps;
  const extension: JsonObject = {};
  if (importing.secrets.size > 0) {
    extension["secrets"] = Object.fromEntries([...importing.secrets].map(([name, ref]) => [name, { ref }]));
  }
  if (importing.vars.size > 0) extension["vars"] = Object.fromEntries(importing.vars);
  if (Object.keys(extension).length > 0) workflow["x-journey"] = extension;
  const document = wellFormed({
    arazzo: "1.1.0",
    info: {
      title: title || "Imported journey",
      version: "1.0.0",
      "x-journey": { schema: 1, tags: ["imported"] },
    },
    sourceDescriptions: [],
    workflows: [workflow],
  });
  const text = newYaml(document);
  const fault = checkDocument(parseDocument(text, { file: "imported" })).find(
    ({ severity }) => severity === "error",
  );
  if (fault !== undefined)
    return { ok: false, message: `It can't be converted to a journey: ${fault.message}` };
  return { ok: true, text, steps: steps.length, notes: [...importing.notes] };
}

/** Halves of surrogate pairs are no text that a file could hold. */
function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]),
  );
}
