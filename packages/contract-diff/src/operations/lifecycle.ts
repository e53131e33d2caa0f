import type { Level } from "../verdict.ts";
import { addChange, type NoticeDays, type OperationPair, placeOf } from "./change.ts";
import { daysBetween, readDay } from "./days.ts";

/** Compares what is announced about the end of an operation. The changes are safe, except that an end can be too near. */
export function compareLifecycle(pair: OperationPair): void {
  const { old, next } = pair;
  const add: Add = (kind, message, before, after, level = "safe") =>
    addChange(pair, {
      kind,
      level,
      direction: "operation",
      part: "",
      message,
      before,
      after,
      base: placeOf(old.at),
      head: placeOf(next.at),
    });
  if (!old.deprecated && next.deprecated) add("operation-deprecated", "The operation is now deprecated.");
  if (old.deprecated && !next.deprecated)
    add("operation-reactivated", "The operation is no longer deprecated.");
  if (next.deprecated) compareSunsets(pair, add);
  const [before, after] = [stabilityOf(old.stability), stabilityOf(next.stability)];
  if (after < before) {
    add("stability-lowered", "The operation is less stable than it was.", old.stability, next.stability);
  }
}

type Add = (kind: string, message: string, before?: string, after?: string, level?: Level) => void;

function compareSunsets({ old, next, policy }: OperationPair, add: Add): void {
  const [before, after] = [readDay(old.sunset), readDay(next.sunset)];
  const days = noticeOf(policy.noticeDays, next.stability);
  const isNew = !old.deprecated || before === undefined || (after !== undefined && after < before);
  if (next.sunset !== undefined && after === undefined) {
    add("sunset-invalid", `The announced end, "${next.sunset}", is not a date.`, old.sunset, next.sunset);
  } else if (next.sunset === undefined && old.sunset !== undefined) {
    add("sunset-removed", "The announced end is gone.", old.sunset);
  } else if (next.sunset === undefined && !old.deprecated) {
    add("sunset-missing", "The operation is deprecated without an announced end.");
  } else if (before !== undefined && after !== undefined && after < before) {
    add("sunset-brought-forward", "The operation ends earlier than announced.", old.sunset, next.sunset);
  }
  const left = after === undefined ? undefined : daysBetween(policy.today, after);
  if (left !== undefined && isNew && days !== undefined && left < days) {
    const end =
      left > 0 ? `Days until the operation ends: ${left}.` : "The operation's end is not in the future.";
    const message = `${end} Days of notice by the rule: ${days}.`;
    add("sunset-too-near", message, old.sunset, next.sunset, "maybe");
  }
}

/** Returns the days of notice of a level of stability, else those of all others. */
function noticeOf(days: NoticeDays | undefined, level = "stable"): number | undefined {
  if (days === undefined) return undefined;
  return Object.hasOwn(days, level) ? days[level] : days["default"];
}

const STABILITY = ["draft", "alpha", "beta", "stable"];

function stabilityOf(level: string | undefined): number {
  return level === undefined ? STABILITY.length - 1 : STABILITY.indexOf(level);
}
