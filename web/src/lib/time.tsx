import { describeAge } from "./describe-age.ts";

const LONG = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** How long ago a time is, with the exact time as its title. */
export function TimeAgo({ at }: { at: string }) {
  return (
    <time dateTime={at} title={LONG.format(new Date(at))} className="whole">
      {describeAge(at, Date.now())}
    </time>
  );
}

/** A time in the reader's time zone. The element's `datetime` attribute holds the exact value. */
export function Time({ at, day = false }: { at: string | null; day?: boolean }) {
  if (at === null) return <span>–</span>;
  return (
    <time dateTime={at} title={LONG.format(new Date(at))} className="whole">
      {(day ? DAY : LONG).format(new Date(at))}
    </time>
  );
}
