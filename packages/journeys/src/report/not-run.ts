/** A journey that did not run, because its document can't be read or does not compile. */
export interface NotRun {
  /** As it was named. */
  file: string;
  reason: string;
  /** The problems, one line each. */
  details: readonly string[];
}
