import { isObject } from "@waymark/openapi/json.ts";
import type { ErrorObject, ValidateFunction } from "ajv";
import { mapBigInts } from "../expressions/exact-json.ts";
import { createAjv } from "./ajv.ts";

/** A fault of a value and its position. */
export interface SchemaFault {
  pointer: string;
  message: string;
}

/** The first faults of a value (none if it is valid), and how many more there are. */
export interface SchemaFaults {
  faults: SchemaFault[];
  more: number;
}

const FAULTS_MAX = 20;
const COMPILED_MAX = 200;

export interface SchemaEngine {
  /** Checks a value against a self-contained schema in JSON. @throws Error for a schema that can't be used */
  check: (schema: string, value: unknown) => SchemaFaults;
}

/** Validates with ajv, which generates code for each schema. */
export function createSchemaEngine(): SchemaEngine {
  const create = () => createAjv({ strict: false, validateSchema: false, logger: false });
  let ajv = create();
  const compiled = new Map<string, ValidateFunction>();
  return {
    check(schema, value) {
      let validate = compiled.get(schema);
      if (validate === undefined) {
        if (compiled.size >= COMPILED_MAX) {
          compiled.clear();
          ajv = create();
        }
        validate = ajv.compile(JSON.parse(schema));
        compiled.set(schema, validate);
      }
      if (validate(mapBigInts(value, toDouble))) return { faults: [], more: 0 };
      const errors = validate.errors ?? [];
      return {
        faults: errors.slice(0, FAULTS_MAX).map(faultOf),
        more: Math.max(0, errors.length - FAULTS_MAX),
      };
    },
  };
}

/** The largest double that an int64 can be: the last ones are rounded to 2^63, which is none. */
const INT64_DOUBLE_MAX = 2 ** 63 - 1024;

function toDouble(integer: bigint): number {
  const double = Number(integer);
  return double === 2 ** 63 && integer < 2n ** 63n ? INT64_DOUBLE_MAX : double;
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
