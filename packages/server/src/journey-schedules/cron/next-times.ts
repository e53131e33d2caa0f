import { createHash } from "node:crypto";
import { Cron } from "croner";
import { parseCron } from "./parse-cron.ts";
import { openZoneClock, type ZoneClock } from "./zone-clock.ts";

/** When a schedule starts its journey. */
interface Rhythm {
  id: string;
  /** The expression as `parseCron` writes it. */
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
  const nextTime = timeFinder(cron, timeZone);
  const times: Date[] = [];
  for (let time = nextTime(after); time !== null && times.length < count; time = nextTime(time))
    times.push(time);
  return times;
}

/** @throws Error if the expression has no time after `after` */
export function nextTick(rhythm: Rhythm, after: Date): Tick {
  return tickFinder(rhythm)(after);
}

/** `nextTick` for many times of one schedule, whose expression is parsed once. */
export function tickFinder(rhythm: Rhythm): (after: Date) => Tick {
  const nextTime = timeFinder(rhythm.cron, rhythm.timeZone);
  return (after) => {
    const dueAt = nextTime(after);
    if (dueAt === null) throw new Error(`${rhythm.cron} has no time after ${after.toISOString()}`);
    return { dueAt, startAt: new Date(dueAt.getTime() + jitterMs(rhythm, dueAt)) };
  };
}

/** Returns the delay of a tick: equal on every server, and different from tick to tick. */
function jitterMs({ id, jitterSeconds }: Rhythm, dueAt: Date): number {
  if (jitterSeconds === 0) return 0;
  const random = createHash("sha256").update(`${id} ${dueAt.getTime()}`).digest().readUInt32BE();
  return random % (jitterSeconds * 1_000 + 1);
}

/** Finds the next time of an expression; null if it has no more. */
type TimeFinder = (after: Date) => Date | null;

/**
 * Croner only says which wall times an expression has, because its own rules for changes of clock differ between expressions. An
 * expression with selected hours names times of a day, and one with every hour names minutes of an hour.
 */
function timeFinder(cron: string, timeZone: string): TimeFinder {
  const walls = new Cron(cron, { mode: "5-part", timezone: "UTC", paused: true });
  const nextWall = (after: number) => walls.nextRun(new Date(after))?.getTime() ?? null;
  const clock = openZoneClock(timeZone);
  return parseCron(cron).hours.length === 24
    ? (after) => nextShown(after.getTime(), clock, nextWall)
    : (after) => nextOfDay(after.getTime(), clock, nextWall);
}

type NextWall = (after: number) => number | null;

/**
 * Each wall time comes once: where the clock repeats it, at the first, and where the clock skips it, when it goes on. Several that
 * are skipped come together, and with the time at which the clock goes on.
 */
function nextOfDay(after: number, clock: ZoneClock, nextWall: NextWall): Date | null {
  for (let wall = nextWall(clock.wallAt(after)); wall !== null; wall = nextWall(wall)) {
    const instant = clock.firstInstantOf(wall);
    // Until then, the clock repeats what it has shown.
    if (instant > after) return new Date(instant);
  }
  return null;
}

/** A time comes whenever the clock shows it: in a repeated hour again, and in a skipped hour not. */
function nextShown(after: number, clock: ZoneClock, nextWall: NextWall): Date | null {
  for (let from = after, wall = nextWall(clock.wallAt(from)); wall !== null;) {
    const instant = from + wall - clock.wallAt(from);
    const change = clock.nextChange(from, instant);
    if (change === undefined) return new Date(instant);
    from = change;
    // The time that the clock shows right after the change may match, too.
    wall = nextWall(clock.wallAt(from) - 1);
    if (wall !== null && wall === clock.wallAt(from)) return new Date(from);
  }
  return null;
}
