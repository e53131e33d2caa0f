import { isObject } from "@waymark/openapi/json.ts";
import type { ErrorObject } from "ajv";
import { mapBigInts } from "../expressions/exact-json.ts";
import { certainlyValid } from "./quick-check.ts";

/** What is wrong with a value, and where in it. */
export interface SchemaFault {
  pointer: string;
  message: string;
}

export interface SchemaChecker {
  /** The faults of a value; none when it is valid. @throws Error for a schema that can't be used */
  check: (schema: unknown, value: unknown) => SchemaFault[] | Promise<SchemaFault[]>;
}

/**
 * Checks values against JSON Schema 2020-12. ajv has the last word; the quick check only answers where a value is certainly
 * valid, so that a run whose responses are as described never loads ajv (48 ms on Node 24) nor generates code.
 *
 * @param root holds the `$defs` that schemas refer to
 */
export function createSchemaChecker(root: { $defs: Record<string, unknown> }): SchemaChecker {
  let precise: Promise<PreciseCheck> | undefined;
  return {
    check(schema, value) {
      const own = isObject(schema) && schema["$defs"] !== undefined ? schema : root;
      if (certainlyValid(schema, value, { root: own, depth: 0 })) return [];
      precise ??= loadAjv(root);
      return precise.then((check) => check(schema, value));
    },
  };
}

type PreciseCheck = (schema: unknown, value: unknown) => SchemaFault[];

const ROOT_ID = "journey:schemas";

async function loadAjv(root: { $defs: Record<string, unknown> }): Promise<PreciseCheck> {
  const [{ createAjv }, { createRegexEngine }] = await Promise.all([
    import("./ajv.ts"),
    import("../criteria/regex.ts"),
  ]);
  const regex = createRegexEngine();
  const engine = Object.assign(
    (pattern: string) => {
      const problem = regex.problem(pattern);
      if (problem !== undefined) throw new Error(problem);
      // ajv keeps one object for all patterns whose text is the same.
      return { test: (text: string) => regex.test(pattern, text), toString: () => pattern };
    },
    { code: "undefined" },
  );
  const ajv = createAjv({
    strict: false,
    validateSchema: false,
    logger: false,
    code: { regExp: engine },
  });
  ajv.addSchema({ $id: ROOT_ID, ...root });
  const compiled = new Map<unknown, ReturnType<typeof ajv.compile>>();
  return (schema, value) => {
    let validate = compiled.get(schema);
    if (validate === undefined) {
      validate = ajv.compile(rebase(schema));
      compiled.set(schema, validate);
    }
    return validate(mapBigInts(value, Number)) ? [] : (validate.errors ?? []).map(faultOf);
  };
}

/** A schema that only refers into the table is compiled as a reference to it. */
function rebase(schema: unknown): Record<string, unknown> | boolean {
  if (typeof schema === "boolean") return schema;
  if (!isObject(schema)) return true;
  const reference = schema["$ref"];
  if (Object.keys(schema).length === 1 && typeof reference === "string" && reference.startsWith("#")) {
    return { $ref: ROOT_ID + reference };
  }
  return schema;
}

function faultOf(error: ErrorObject): SchemaFault {
  const params = isObject(error.params) ? error.params : {};
  const extra = params["additionalProperty"];
  const allowed = params["allowedValues"];
  const message = error.message ?? "is not valid";
  if (typeof extra === "string") return { pointer: error.instancePath, message: `${message} ("${extra}")` };
  if (Array.isArray(allowed)) {
    return { pointer: error.instancePath, message: `${message}: ${JSON.stringify(allowed).slice(0, 200)}` };
  }
  return { pointer: error.instancePath, message };
}
