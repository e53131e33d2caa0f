import { isObject } from "@waymark/openapi/json.ts";
import type { Evaluator } from "../evaluation/evaluator.ts";
import { checkableSchema } from "../evaluation/schema-cost.ts";
import type { CheckableSchema } from "../evaluation/schema-cost.ts";
import type { SchemaFaults } from "../evaluation/schema-engine.ts";
import { quicklyValid } from "./quick-check.ts";

export interface SchemaChecker {
  /** The faults of a value. @throws EngineError for a schema that can't be used or costs too much */
  check: (schema: unknown, value: unknown) => SchemaFaults | Promise<SchemaFaults>;
}

const VALID: SchemaFaults = { faults: [], more: 0 };

/**
 * Checks values against JSON Schema 2020-12. ajv has the last word; the quick check only answers where a value is certainly
 * valid, so that a run whose responses are as described never loads ajv (48 ms on Node 24) nor generates code.
 *
 * @param root holds the `$defs` that a schema refers to which is nothing but a reference
 */
export function createSchemaChecker(
  root: { $defs: Record<string, unknown> },
  evaluator: Evaluator,
): SchemaChecker {
  const known = new Map<unknown, CheckableSchema>();
  return {
    check(schema, value) {
      const own = isReference(schema) ? root : schema;
      if (quicklyValid(schema, value, own)) return VALID;
      let checkable = known.get(schema);
      if (checkable === undefined) known.set(schema, (checkable = checkableSchema(own, schema)));
      return evaluator.checkSchema(checkable, value);
    },
  };
}

function isReference(schema: unknown): boolean {
  return isObject(schema) && typeof schema["$ref"] === "string" && Object.keys(schema).length === 1;
}
