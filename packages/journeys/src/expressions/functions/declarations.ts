/** The kind of value that a parameter takes. An `option` is one of some texts, written in the document. */
export type ParameterType = "text" | "number" | "any" | "format" | "offset" | readonly string[];

export interface FunctionParameter {
  name: string;
  type: ParameterType;
  isOptional?: boolean;
  /** True if any number of values may follow. */
  isRest?: boolean;
}

/** The origin of a function's result. */
export type FunctionSource = "arguments" | "random" | "clock" | "request";

export interface FunctionDeclaration {
  parameters: readonly FunctionParameter[];
  /** One sentence for the documentation and the completion. */
  text: string;
  example: string;
  source: FunctionSource;
  /** True if the result tells a part of an argument, so that it is never applied to a secret. */
  looksInto: boolean;
  /** True if a secret among the arguments is in the result as it is, where it is found. */
  keepsText?: boolean;
}

const ENCODINGS = ["hex", "base64", "base64url"] as const;
const value: FunctionParameter = { name: "value", type: "text" };
const encoding: FunctionParameter = { name: "encoding", type: ENCODINGS, isOptional: true };

function pure(text: string, parameters: readonly FunctionParameter[], example: string): FunctionDeclaration {
  return { text, parameters, example, source: "arguments", looksInto: false };
}

function random(
  text: string,
  parameters: readonly FunctionParameter[],
  example: string,
): FunctionDeclaration {
  return { text, parameters, example, source: "random", looksInto: false };
}

/** The functions of expressions. Parser, compiler, runner, completion and the table of the documentation read them here. */
export const FUNCTIONS = {
  base64: pure("Base64 with padding, of the UTF-8 of a text or of bytes", [value], "$fn.base64('a:b')"),
  base64url: pure("Base64url without padding", [value], "$fn.base64url('a?')"),
  hex: pure("Hexadecimal in lower case", [value], "$fn.hex('abc')"),
  sha256: pure("SHA-256, in hexadecimal unless said otherwise", [value, encoding], "$fn.sha256('abc')"),
  hmac: pure(
    "HMAC, in hexadecimal unless said otherwise; the key is text unless its encoding is given",
    [
      { name: "algorithm", type: ["sha256", "sha1", "sha512"] },
      { name: "key", type: "text" },
      value,
      encoding,
      { name: "keyEncoding", type: ["utf8", ...ENCODINGS], isOptional: true },
    ],
    "$fn.hmac('sha256', $inputs.key, $fn.requestBody())",
  ),
  uriEncode: pure("Percent-encoding of all but letters, digits, - . _ ~", [value], "$fn.uriEncode('a b')"),
  lower: pure("Lower case", [value], "$fn.lower('ABC')"),
  upper: pure("Upper case", [value], "$fn.upper('abc')"),
  join: {
    ...pure(
      "Values and the items of lists, with a separator between them",
      [
        { name: "separator", type: "text" },
        { name: "values", type: "any", isRest: true },
      ],
      "$fn.join(':', $inputs.user, $inputs.password)",
    ),
    keepsText: true,
  },
  json: {
    ...pure("JSON text", [{ name: "value", type: "any" }], "$fn.json($inputs.items)"),
    keepsText: true,
  },
  length: {
    ...pure(
      "Characters (code points) of a text, items of a list, members of an object",
      [{ name: "value", type: "any" }],
      "$fn.length($response.body#/items)",
    ),
    looksInto: true,
  },
  add: {
    ...pure(
      "The sum of numbers",
      [{ name: "numbers", type: "number", isRest: true }],
      "$fn.add($steps.see.outputs.version, 1)",
    ),
    looksInto: true,
  },
  now: {
    parameters: [
      { name: "format", type: "format", isOptional: true },
      { name: "offset", type: "offset", isOptional: true },
    ],
    text: "The time in UTC, as ISO 8601 unless said otherwise; see below for formats and offsets",
    example: "$fn.now('date', '+1d')",
    source: "clock",
    looksInto: false,
  },
  uuid: random("A UUID of version 4", [], "$fn.uuid()"),
  randomInt: {
    ...random(
      "A whole number, both ends included",
      [
        { name: "min", type: "number" },
        { name: "max", type: "number" },
      ],
      "$fn.randomInt(1, 6)",
    ),
    looksInto: true,
  },
  randomText: {
    ...random(
      "Lower-case letters and digits, 12 unless said otherwise",
      [{ name: "length", type: "number", isOptional: true }],
      "$fn.randomText(8)",
    ),
    looksInto: true,
  },
  pick: {
    ...random(
      "One of the values, or of the items of lists",
      [{ name: "values", type: "any", isRest: true }],
      "$fn.pick('red', 'green')",
    ),
    keepsText: true,
  },
  email: random("An address at example.com", [], "$fn.email()"),
  firstName: random("A first name", [], "$fn.firstName()"),
  lastName: random("A last name", [], "$fn.lastName()"),
  requestBody: {
    parameters: [],
    text: "The body of this request as it is sent; in its parameters only",
    example: "$fn.sha256($fn.requestBody())",
    source: "request",
    looksInto: false,
  },
} as const satisfies Record<string, FunctionDeclaration>;

export type FunctionName = keyof typeof FUNCTIONS;

export const FUNCTION_NAMES = Object.keys(FUNCTIONS).filter(isFunctionName);

export function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(FUNCTIONS, name);
}

export function declarationOf(name: FunctionName): FunctionDeclaration {
  return FUNCTIONS[name];
}

/** Returns the beginning of a call, and all of it if it needs no arguments: what a completion writes. */
export function beginningOf(name: FunctionName): string {
  const { parameters }: FunctionDeclaration = FUNCTIONS[name];
  return parameters.every(({ isOptional }) => isOptional === true) ? `$fn.${name}()` : `$fn.${name}(`;
}

/** Returns a function as it is called, such as `$fn.sha256(value, encoding?)`. */
export function signatureOf(name: FunctionName): string {
  const parameters = declarationOf(name).parameters.map(
    (parameter) =>
      `${parameter.isRest === true ? "…" : ""}${parameter.name}${parameter.isOptional === true ? "?" : ""}`,
  );
  return `$fn.${name}(${parameters.join(", ")})`;
}
