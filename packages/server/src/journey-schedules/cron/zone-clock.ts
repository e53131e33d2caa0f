const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** No zone is further than this from UTC, to the west and to the east. */
const WEST_MS = 13 * HOUR_MS;
const EAST_MS = 15 * HOUR_MS;

/**
 * The clock of a time zone. A wall time is what the clock shows, as the milliseconds at which a clock in UTC shows the same.
 */
export interface ZoneClock {
  /** Returns what the clock shows at an instant. */
  wallAt(instant: number): number;
  /** Returns the first instant at which the clock shows this wall time or, where it skips it, a later one. */
  firstInstantOf(wall: number): number;
  /** Returns the first instant after `from`, up to `to`, from which the clock is further or less far from UTC; undefined if none. */
  nextChange(from: number, to: number): number | undefined;
}

export function openZoneClock(timeZone: string): ZoneClock {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });

  function offsetAt(instant: number): number {
    const shown: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(instant)) shown[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
    const wholeSecond = Math.floor(instant / 1_000) * 1_000;
    return Date.UTC(year, month - 1, day, hour, minute, second) - wholeSecond;
  }

  /** The clock changes between two instants of which only the second has another offset, on a full minute. */
  function changeBetween(before: number, after: number): number {
    const offset = offsetAt(before);
    let [low, high] = [Math.floor(before / MINUTE_MS), Math.ceil(after / MINUTE_MS)];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle * MINUTE_MS) === offset) low = middle;
      else high = middle;
    }
    return high * MINUTE_MS;
  }

  function nextChange(from: number, to: number): number | undefined {
    for (let start = from; start < to; start += HOUR_MS) {
      const end = Math.min(to, start + HOUR_MS);
      if (offsetAt(start) !== offsetAt(end)) return changeBetween(start, end);
    }
    return undefined;
  }

  return {
    wallAt: (instant) => instant + offsetAt(instant),
    nextChange,
    firstInstantOf(wall) {
      const [first, last] = [wall - EAST_MS, wall + WEST_MS];
      // On most days the clock does not change.
      if (offsetAt(first) === offsetAt(last)) return wall - offsetAt(first);
      for (let from = first; ;) {
        const instant = Math.max(from, wall - offsetAt(from));
        const change = nextChange(from, instant);
        if (change === undefined) return instant;
        from = change;
      }
    },
  };
}
