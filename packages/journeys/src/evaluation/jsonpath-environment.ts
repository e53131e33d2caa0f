import { isObject } from "@waymark/openapi/json.ts";
import { FunctionExpressionType, JSONPathEnvironment, Nothing } from "json-p3";
import type { JSONPathQuery } from "json-p3";
import { createRegexEngine } from "./regex.ts";

/** Deeper than any body or document that is read. */
const DEPTH_MAX = 600;

/** JSONPath as in RFC 9535, with the regular expressions of this package. */
const JSONPATH = createEnvironment();

/** Texts and names, in which numbers are no literals, and numbers. */
const PART =
  /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[A-Za-z_\u0080-\u{10ffff}][\w\u0080-\u{10ffff}-]*|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gsu;

/** Compiles a query. @throws JSONPathError if it is not valid */
export function compileQuery(text: string): JSONPathQuery {
  // json-p3 2.3.1 refuses literals such as 0.5 and 0e1, because they begin with a zero. -0.5 and 5e-1 it accepts.
  return JSONPATH.compile(text.replaceAll(PART, (part) => (/^0[.eE]/.test(part) ? withoutZero(part) : part)));
}

function withoutZero(literal: string): string {
  const value = Number(literal);
  return value === 0 ? "0" : value.toExponential();
}

function createEnvironment(): JSONPathEnvironment {
  const regex = createRegexEngine();
  const environment = new JSONPathEnvironment({ maxRecursionDepth: DEPTH_MAX });
  for (const name of ["match", "search"]) {
    environment.functionRegister.set(name, {
      argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
      returnType: FunctionExpressionType.LogicalType,
      call: (text: unknown, pattern: unknown) => {
        if (typeof text !== "string" || typeof pattern !== "string") return false;
        const dotted = iRegexp(pattern);
        const whole = name === "match" ? `^(?:${dotted})$` : dotted;
        return regex.problem(whole) === undefined && regex.test(whole, text);
      },
    });
  }
  // RFC 9535, 2.4.4, counts Unicode scalar values; the library counts code units.
  environment.functionRegister.set("length", {
    argTypes: [FunctionExpressionType.ValueType],
    returnType: FunctionExpressionType.ValueType,
    call: (value: unknown) => {
      if (typeof value === "string") return Array.from(value).length;
      if (Array.isArray(value)) return value.length;
      return isObject(value) ? Object.keys(value).length : Nothing;
    },
  });
  return environment;
}

/** RFC 9485, section 5: the dot of an I-Regexp, outside a class, is neither a line feed nor a carriage return. */
function iRegexp(pattern: string): string {
  return pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]|\./gsu, (part) =>
    part === "." ? String.raw`[^\n\r]` : part,
  );
}
