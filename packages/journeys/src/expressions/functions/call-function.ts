import { encodeUnreserved } from "@waymark/openapi/percent-encoding.ts";
import type { CallArgument, Expression } from "../ast.ts";
import { Bytes } from "../bytes.ts";
import { EvaluationLimit, MissingArgument } from "../engine-error.ts";
import { toJson } from "../exact-json.ts";
import { inspected } from "../scope.ts";
import type { Scope } from "../scope.ts";
import { valueSize } from "../value-size.ts";
import type { FunctionContext } from "./context.ts";
import { declarationOf } from "./declarations.ts";
import type { FunctionName, FunctionParameter } from "./declarations.ts";
import { bytesOf, digest, encoded, hmacOf } from "./digest.ts";
import { formatFault, formatTime, isWritable, movedTime, offsetFault } from "./format-time.ts";
import { pickName, randomEmail, randomLetters, randomUuid } from "./random-values.ts";

/** The maximum size of the arguments of one call, and of what it makes of them. */
const CHARS_MAX = 1024 * 1024;
const RANDOM_TEXT_MAX = 1000;

type Call = Extract<Expression, { kind: "call" }>;

/**
 * Returns the value of a function.
 *
 * @throws MissingArgument if an argument has no value, EvaluationLimit for arguments that the function can't take
 */
export function callFunction(
  call: Call,
  scope: Pick<Scope, "functions" | "hide">,
  evaluate: (argument: CallArgument) => unknown,
): unknown {
  const { name } = call;
  const { looksInto, keepsText = false } = declarationOf(name);
  const given = call.args.map(evaluate);
  const args = looksInto ? given.map((value) => inspected(scope, value)) : given;
  const { functions } = scope;
  let size = 0;
  for (const [index, value] of args.entries()) {
    if (value === undefined || value === null)
      throw new MissingArgument(
        `in $fn.${name} the argument "${parameterAt(name, index)?.name ?? ""}" has no value`,
      );
    size += valueSize(value, CHARS_MAX);
  }
  if (size > CHARS_MAX) throw tooLarge(name);
  functions?.countRead(size);
  const result = resultOf(call, args, functions);
  if (valueSize(result, CHARS_MAX) > CHARS_MAX) throw tooLarge(name);
  if (!looksInto && args.length > 0) functions?.made(args, result, { isKept: keepsText });
  return result;
}

function parameterAt(name: FunctionName, index: number): FunctionParameter | undefined {
  const { parameters } = declarationOf(name);
  return parameters[Math.min(index, parameters.length - 1)];
}

function tooLarge(name: string): EvaluationLimit {
  return new EvaluationLimit(`the values of $fn.${name} are larger than ${CHARS_MAX / 1024} KiB`);
}

// oxlint-disable-next-line max-lines-per-function -- one line for each function
function resultOf(call: Call, args: readonly unknown[], functions: FunctionContext | undefined): unknown {
  const { name } = call;
  const text = (index: number) => textOf(name, args[index], index);
  const bytes = (index: number, encoding = "utf8") => bytesOf(name, args[index], encoding);
  const option = (index: number, otherwise: string) => (args[index] === undefined ? otherwise : text(index));
  const random = () => {
    if (functions === undefined) throw new MissingArgument(`$fn.${name} has a value in a run only`);
    return functions.random(call);
  };
  switch (name) {
    case "base64":
    case "base64url":
    case "hex":
      return encoded(bytes(0), name);
    case "sha256":
      return encoded(digest(bytes(0)), option(1, "hex"));
    case "hmac":
      return encoded(hmacOf(text(0), bytes(1, option(4, "utf8")), bytes(2)), option(3, "hex"));
    case "uriEncode":
      return encodeUnreserved(text(0));
    case "lower":
      return text(0).toLowerCase();
    case "upper":
      return text(0).toUpperCase();
    case "join":
      return itemsOf(args.slice(1))
        .map((item, index) => textOf(name, item, index + 1))
        .join(text(0));
    case "json":
      return jsonOf(name, args[0]);
    case "length":
      return lengthOf(args[0]);
    case "add":
      return sumOf(args.map((value, index) => numberOf(name, value, index)));
    case "now":
      return timeOf(functions, option(0, "iso"), option(1, "+0s"));
    case "uuid":
      return randomUuid(random());
    case "randomInt":
      return between(random(), numberOf(name, args[0], 0), numberOf(name, args[1], 1));
    case "randomText":
      return randomLetters(random(), lengthWithin(args[0] === undefined ? 12 : numberOf(name, args[0], 0)));
    case "pick": {
      const items = itemsOf(args);
      if (items.length === 0) throw new MissingArgument("in $fn.pick there is nothing to pick from");
      return items[Math.floor(random()() * items.length)];
    }
    case "email":
      return randomEmail(random());
    case "firstName":
    case "lastName":
      return pickName(name, random());
    case "requestBody":
      return requestBody(functions);
    default:
      return undefined;
  }
}

function textOf(name: string, value: unknown, index: number): string {
  if (typeof value === "string") {
    if (value.isWellFormed()) return value;
    throw new EvaluationLimit(`$fn.${name} has a text with half of a character in it`);
  }
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return String(value);
  if (value instanceof Bytes || value instanceof Uint8Array)
    throw new EvaluationLimit(`$fn.${name} takes no bytes as argument ${index + 1}`);
  if (value === undefined || value === null) throw new MissingArgument(`in $fn.${name} an item has no value`);
  throw new EvaluationLimit(
    `$fn.${name} takes a text as argument ${index + 1}, not an object or a list: write $fn.json(…)`,
  );
}

/** The members of a list stand for it. */
function itemsOf(args: readonly unknown[]): unknown[] {
  return args.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [value]));
}

function jsonOf(name: string, value: unknown): string {
  if (value instanceof Bytes || value instanceof Uint8Array)
    throw new EvaluationLimit(`$fn.${name} takes no bytes`);
  return toJson(value) ?? "null";
}

function lengthOf(value: unknown): number | undefined {
  if (typeof value === "string") return Array.from(value).length;
  if (value instanceof Bytes) return value.content.length;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : undefined;
}

function numberOf(name: string, value: unknown, index: number): number | bigint {
  if (typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value))) return value;
  throw new EvaluationLimit(`$fn.${name} takes a number as argument ${index + 1}`);
}

/** Integers keep all their digits. */
function sumOf(numbers: readonly (number | bigint)[]): number | bigint {
  if (!numbers.every((one) => typeof one === "bigint" || Number.isSafeInteger(one)))
    return numbers.reduce<number>((sum, one) => sum + Number(one), 0);
  const sum = numbers.reduce<bigint>((total, one) => total + BigInt(one), 0n);
  return Number.isSafeInteger(Number(sum)) ? Number(sum) : sum;
}

function between(random: () => number, min: number | bigint, max: number | bigint): number {
  const [from, to] = [Number(min), Number(max)];
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || to < from || to - from >= 2 ** 32)
    throw new EvaluationLimit(
      "$fn.randomInt takes two whole numbers, the smaller one first, less than 2^32 apart",
    );
  return from + Math.floor(random() * (to - from + 1));
}

function lengthWithin(length: number | bigint): number {
  if (Number.isInteger(Number(length)) && length >= 1 && length <= RANDOM_TEXT_MAX) return Number(length);
  throw new EvaluationLimit(`$fn.randomText makes 1 to ${RANDOM_TEXT_MAX} characters`);
}

function timeOf(functions: FunctionContext | undefined, format: string, offset: string): string | number {
  if (functions === undefined) throw new MissingArgument("$fn.now has a value in a run only");
  const fault = formatFault(format) ?? offsetFault(offset);
  if (fault !== undefined) throw new EvaluationLimit(`$fn.now: an argument ${fault}`);
  const time = movedTime(functions.now(), offset);
  if (!isWritable(time)) throw new EvaluationLimit("$fn.now has an offset beyond the years 0 to 9999");
  return formatTime(time, format);
}

function requestBody(functions: FunctionContext | undefined): string | Bytes {
  const body = functions?.requestBody;
  if (body === undefined)
    throw new MissingArgument("$fn.requestBody has a value only in the parameters of a request with a body");
  return typeof body === "string" ? body : new Bytes(body, { mediaType: "" });
}
