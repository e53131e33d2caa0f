import { FunctionExpressionType, JSONPathEnvironment } from "json-p3";
import { createRegexEngine } from "./regex.ts";

/** Deeper than any body or document that is read. */
const DEPTH_MAX = 600;

/** JSONPath as in RFC 9535, with the regular expressions of this package. */
export const JSONPATH = createEnvironment();

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
  return environment;
}

/** RFC 9485, section 5: the dot of an I-Regexp, outside a class, is neither a line feed nor a carriage return. */
function iRegexp(pattern: string): string {
  return pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]|\./gsu, (part) =>
    part === "." ? String.raw`[^\n\r]` : part,
  );
}
