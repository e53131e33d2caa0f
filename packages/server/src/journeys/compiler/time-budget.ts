import { readFileSync } from "node:fs";

export interface TimeLimits {
  /**
   * The processor time that a document may take, so that a busy machine refuses nothing that an idle one accepts. Where the system does not
   * tell the processor time, it is the elapsed time.
   */
  ms: number;
  /** The elapsed time that a document may take, whatever processor time it took. */
  wallMs: number;
}

/** The time that a document may take. */
export interface TimeBudget {
  /** Begins with the next document. Returns the time after which to ask for more. */
  begin: () => number;
  /** Returns how much longer the document may take, or a sentence that begins with "it" if that is over. */
  extend: () => number | string;
}

/** The shortest extension: a process that gets no processor is not asked more often. */
const EXTENSION_MS_MIN = 50;

/**
 * @param processorMs returns what the process has used so far; undefined if the system does not tell
 * @param taskLeftMs returns the time that is left for all documents together
 */
export function createBudget(
  { ms, wallMs }: TimeLimits,
  { processorMs, taskLeftMs }: { processorMs: () => number | undefined; taskLeftMs: () => number },
): TimeBudget {
  let granted = 0;
  let usedBefore: number | undefined;
  const shown = (count: number) => `${Math.round(count).toLocaleString("en")} ms`;
  return {
    begin() {
      usedBefore = processorMs();
      granted = Math.max(0, Math.min(ms, taskLeftMs()));
      return granted;
    },
    extend() {
      const used = processorMs();
      if (used === undefined || usedBefore === undefined) return `it took longer than ${shown(granted)}`;
      const left = ms - (used - usedBefore);
      if (left <= 0) return `it took more than ${shown(ms)} of processor time`;
      const more = Math.min(Math.max(left, EXTENSION_MS_MIN), wallMs - granted, taskLeftMs());
      if (more <= 0) return `it took longer than ${shown(granted)}`;
      granted += more;
      return more;
    },
  };
}

/** The unit of Linux's figures. */
const TICK_MS = 10;

/** Returns the processor time that a process has used, on Linux; undefined elsewhere, and for a process that has ended. */
export function processorTimeMs(pid: number | undefined): number | undefined {
  if (pid === undefined || process.platform !== "linux") return undefined;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program is in brackets, and can have spaces and brackets itself.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    return Number.isFinite(ticks) ? ticks * TICK_MS : undefined;
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
