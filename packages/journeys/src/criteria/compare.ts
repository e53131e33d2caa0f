import { jsonEqual } from "@waymark/openapi/json.ts";
import { Bytes, bytesAsText } from "../expressions/bytes.ts";
import type { ComparisonOperator } from "./ast.ts";

/**
 * Compares two values as the Arazzo specification says: strings without regard to case, a numeric string with a number as
 * numbers, null (and a missing value) only equal to itself. Structures are equal if their content is.
 */
export function compare(operator: ComparisonOperator, left: unknown, right: unknown): boolean {
  if (left instanceof Bytes && right instanceof Bytes) {
    const isSame = left.equals(right);
    return operator === "==" ? isSame : operator === "!=" && !isSame;
  }
  return compareTexts(operator, bytesAsText(left), bytesAsText(right));
}

function compareTexts(operator: ComparisonOperator, left: unknown, right: unknown): boolean {
  if (operator === "==") return looselyEqual(left ?? null, right ?? null);
  if (operator === "!=") return !looselyEqual(left ?? null, right ?? null);
  const order = orderOf(left ?? null, right ?? null);
  if (order === undefined) return false;
  switch (operator) {
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    default:
      return order >= 0;
  }
}

function looselyEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (left === null || right === null) return false;
  if (typeof left === "string" && typeof right === "string") return fold(left) === fold(right);
  if (typeof left === "object" || typeof right === "object") return jsonEqual(left, right);
  if (typeof left === "boolean" || typeof right === "boolean") {
    // Headers and form fields have no booleans: they can only contain the text 'true'.
    return words(left) !== undefined && words(left) === words(right);
  }
  const leftNumber = numberOf(left);
  const rightNumber = numberOf(right);
  return leftNumber !== undefined && rightNumber !== undefined && numericOrder(leftNumber, rightNumber) === 0;
}

/** Negative, zero or positive; undefined when the two have no order. */
function orderOf(left: unknown, right: unknown): number | undefined {
  const leftNumber = numberOf(left);
  const rightNumber = numberOf(right);
  if (leftNumber !== undefined && rightNumber !== undefined) return numericOrder(leftNumber, rightNumber);
  if (typeof left !== "string" || typeof right !== "string") return undefined;
  const a = fold(left);
  const b = fold(right);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** JavaScript orders numbers and bigints among each other exactly. */
function numericOrder(left: number | bigint, right: number | bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function numberOf(value: unknown): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value !== "string" || !/^\s*-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*$/.test(value)) return undefined;
  const number = Number(value);
  const isExact = !Number.isInteger(number) || Number.isSafeInteger(number);
  return isExact || !/^\s*-?\d{1,400}\s*$/.test(value) ? number : BigInt(value.trim());
}

function words(value: unknown): string | undefined {
  if (typeof value === "boolean") return String(value);
  return typeof value === "string" ? fold(value) : undefined;
}

function fold(text: string): string {
  return text.toLowerCase();
}

/** Whether a condition that is only a value passes. */
export function truthy(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== 0 && value !== "";
}
