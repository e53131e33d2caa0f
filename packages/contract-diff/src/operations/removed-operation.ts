import type { Operation } from "../read/operation.ts";
import type { OperationName } from "../verdict.ts";
import { nameOf, type OperationChange, placeOf } from "./change.ts";
import { readDay } from "./days.ts";

interface RemovalOptions {
  today: string;
  /** The added operation that it seems to have become. */
  successor: Operation | undefined;
  /** The operation of a callback. */
  under?: OperationName;
}

/** Judges an operation that is gone: only one whose announced end has passed has no clients left. */
export function removedOperation(
  old: Operation,
  { today, successor, under }: RemovalOptions,
): OperationChange {
  const name = `${old.method} ${old.path}`;
  const day = readDay(old.sunset);
  const isOver = old.deprecated && day !== undefined && day <= today;
  const word = old.kind;
  const kind = isOver
    ? `${word}-removed-after-sunset`
    : old.deprecated && old.sunset !== undefined
      ? day === undefined
        ? `${word}-removed-sunset-invalid`
        : `${word}-removed-before-sunset`
      : old.deprecated
        ? `${word}-removed-without-sunset`
        : `${word}-removed`;
  const moved = successor !== undefined && !isOver;
  return {
    kind: moved ? `${word}-moved` : kind,
    level: isOver ? "safe" : "breaking",
    direction: "operation",
    part: under === undefined ? "" : `callback ${old.path}`,
    message: moved ? movedMessage(name, successor) : removedMessage(old, name, isOver),
    before: name,
    after: moved ? `${successor.method} ${successor.path}` : undefined,
    base: placeOf(old.at),
    head: moved ? placeOf(successor.at) : undefined,
    operation: under ?? nameOf(old),
  };
}

function movedMessage(name: string, { method, path }: Operation): string {
  return `${name} is now ${method} ${path}: calls to the old address fail.`;
}

function removedMessage(old: Operation, name: string, isOver: boolean): string {
  if (old.kind !== "operation")
    return `The ${old.kind} ${name} was removed: its receivers get nothing any more.`;
  if (isOver) return `${name} was removed after its announced end, ${old.sunset}.`;
  if (!old.deprecated) return `${name} was removed: every call to it fails.`;
  if (old.sunset === undefined) {
    return `${name} was removed: it was deprecated, but no end was announced, so that clients may still call it.`;
  }
  return readDay(old.sunset) === undefined
    ? `${name} was removed: its announced end, "${old.sunset}", is not a date, so that clients may still call it.`
    : `${name} was removed before its announced end, ${old.sunset}: clients that keep to the date break.`;
}
