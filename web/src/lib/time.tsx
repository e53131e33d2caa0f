import { describeAge, describeRemaining } from "./describe-age.ts";
import { timeFormats } from "./time-formats.ts";

/** Shows how long ago a time is, with the exact time and its zone as its title. */
export function TimeAgo({ at }: { at: string }) {
  return (
    <time dateTime={at} title={timeFormats().exact.format(new Date(at))} className="whole">
      {describeAge(at, Date.now())}
    </time>
  );
}

/** Shows how far in the future a time is, with the exact time and its zone as its title. */
export function TimeUntil({ at }: { at: string }) {
  return (
    <time dateTime={at} title={timeFormats().exact.format(new Date(at))} className="whole">
      {describeRemaining(at, Date.now())}
    </time>
  );
}

/** A time in the reader's time zone, which its title names. The element's `datetime` attribute holds the exact value. */
export function Time({ at, day = false }: { at: string | null; day?: boolean }) {
  if (at === null) return <span>–</span>;
  return (
    <time dateTime={at} title={timeFormats().exact.format(new Date(at))} className="whole">
      {timeFormats()[day ? "day" : "long"].format(new Date(at))}
    </time>
  );
}
