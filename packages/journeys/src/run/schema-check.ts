import { isObject } from "@waymark/openapi/json.ts";
import type { Evaluator } from "../evaluation/evaluator.ts";
import { checkableSchema } from "../evaluation/schema-cost.ts";
import type { CheckableSchema } from "../evaluation/schema-cost.ts";
import type { SchemaFaults } from "../evaluation/schema-engine.ts";
import { passesFastPath } from "./fast-validator.ts";

export interface SchemaChecker {
  /** The faults of a value. @throws EngineError for a schema that can't be used or costs too much */
  check: (schema: unknown, value: unknown, evaluator: Evaluator) => SchemaFaults | Promise<SchemaFaults>;
}

const VALID: SchemaFaults = { faults: [], more: 0 };

/**
 * Checks values against JSON Schema 2020-12, with ajv. What the fast validator finds valid is not checked again, so that a run
 * whose responses are as described never loads ajv (48 ms on Node 24).
 *
 * @param root holds the `$defs` that a schema refers to which is nothing but a reference
 */
export function createSchemaChecker(root: { $defs: Record<string, unknown> }): SchemaChecker {
  const known = new Map<unknown, CheckableSchema>();
  return {
    check(schema, value, evaluator) {
      const own = isReference(schema) ? root : schema;
      if (passesFastPath(schema, value, own)) return VALID;
      let checkable = known.get(schema);
      if (checkable === undefined) known.set(schema, (checkable = checkableSchema(own, schema)));
      return evaluator.checkSchema(checkable, value);
    },
  };
}

function isReference(schema: unknown): boolean {
  return isObject(schema) && typeof schema["$ref"] === "string" && Object.keys(schema).length === 1;
}
