const LONG = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** A moment in the reader's own zone; the exact one stands in the element. */
export function Time({ at }: { at: string | null }) {
  if (at === null) return <span>–</span>;
  return (
    <time dateTime={at} title={at}>
      {LONG.format(new Date(at))}
    </time>
  );
}
