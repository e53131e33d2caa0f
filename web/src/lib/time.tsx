const LONG = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** A moment in the reader's own zone; the exact one stands in the element. */
export function Time({ at, day = false }: { at: string | null; day?: boolean }) {
  if (at === null) return <span>–</span>;
  return (
    <time dateTime={at} title={LONG.format(new Date(at))} className="whole">
      {(day ? DAY : LONG).format(new Date(at))}
    </time>
  );
}
