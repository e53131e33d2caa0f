import { createHash } from "node:crypto";
import { Cron } from "croner";

/** When a schedule starts its journey. */
interface Rhythm {
  id: string;
  /** As `parseCron` writes it. */
  cron: string;
  timeZone: string;
  jitterSeconds: number;
}

export interface Tick {
  /** The time of the expression. */
  dueAt: Date;
  /** Later by a part of the jitter, always the same for a tick. */
  startAt: Date;
}

/** Whether this server knows the zone by this IANA name, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  // Node also takes offsets such as `+01:00`, which have no changes of clock and are easily confused.
  if (!/^[A-Za-z][\w+-]*(\/[\w+-]+){0,2}$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** The next times after `after`, fewer than `count` if the expression has no more: then its date never comes. */
export function nextTimes(
  { cron, timeZone }: Pick<Rhythm, "cron" | "timeZone">,
  after: Date,
  count: number,
): Date[] {
  return parsed(cron, timeZone).nextRuns(count, after);
}

/** @throws Error if the expression has no time after `after` */
export function nextTick(rhythm: Rhythm, after: Date): Tick {
  return tickFinder(rhythm)(after);
}

/** `nextTick` for many times of one schedule, whose expression is parsed once. */
export function tickFinder(rhythm: Rhythm): (after: Date) => Tick {
  const expression = parsed(rhythm.cron, rhythm.timeZone);
  return (after) => {
    const dueAt = expression.nextRun(after);
    if (dueAt === null) throw new Error(`${rhythm.cron} has no time after ${after.toISOString()}`);
    return { dueAt, startAt: new Date(dueAt.getTime() + jitterMs(rhythm, dueAt)) };
  };
}

/** The same for a tick on every server, and different from tick to tick. */
function jitterMs({ id, jitterSeconds }: Rhythm, dueAt: Date): number {
  if (jitterSeconds === 0) return 0;
  const random = createHash("sha256").update(`${id} ${dueAt.getTime()}`).digest().readUInt32BE();
  return random % (jitterSeconds * 1_000 + 1);
}

/** At 02:30 where the clock skips that hour, a time comes at 03:00; where it repeats it, at the first 02:30. */
function parsed(cron: string, timeZone: string): Cron {
  return new Cron(cron, { mode: "5-part", timezone: timeZone, paused: true });
}
