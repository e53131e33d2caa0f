import { optionalWholeNumber } from "../lib/query-fields.ts";
import { WAIT_LIMITS } from "./limits.ts";

/** The query field of an operation that waits. @param description says what it waits for */
export function waitSecondsField(description: string) {
  return optionalWholeNumber({ min: 0, max: WAIT_LIMITS.secondsMax, default: 0 }).meta({ description });
}
