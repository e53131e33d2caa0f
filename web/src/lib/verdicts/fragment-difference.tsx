import { Button } from "@mantine/core";
import { useMemo, useState } from "react";
import { compare, type DiffLine } from "../line-diff.ts";
import { LOCALE } from "../locale.ts";
import { useDifferenceView } from "../use-difference-view.ts";
import classes from "./fragment-difference.module.css";
import { pairLines } from "./pair-lines.ts";

/** The number of rows that are shown before the fragment is unfolded. */
const SHOWN_ROWS = 12;

const SIGNS = { same: " ", removed: "−", added: "+" } as const;

/** The fragment of a description before and after a change, with a sign at each line that differs. Null: there was none. */
export function FragmentDifference({ before, after }: { before: string | null; after: string | null }) {
  const [view] = useDifferenceView();
  const [isWhole, setIsWhole] = useState(false);
  const lines = useMemo(() => compare(linesIn(before), linesIn(after)), [before, after]);
  const rows =
    view === "split"
      ? pairLines(lines).map((pair) => [pair.before, pair.after])
      : lines.map((line) => [line]);
  const more = rows.length - SHOWN_ROWS;
  return (
    <>
      <div className={classes["difference"]} data-view={view} role="group" aria-label="Before and after">
        {rows.slice(0, isWhole ? undefined : SHOWN_ROWS).map((cells, row) => (
          <div key={row} className={classes["row"]}>
            {cells.map((line, side) => (
              <Line key={side} line={line} />
            ))}
          </div>
        ))}
      </div>
      {more > 0 && !isWhole && (
        <Button size="compact-xs" variant="default" mb={4} onClick={() => setIsWhole(true)}>
          Unfold {more.toLocaleString(LOCALE)} more lines
        </Button>
      )}
    </>
  );
}

function Line({ line }: { line: DiffLine | undefined }) {
  if (line === undefined) return <span className={classes["line"]} data-kind="none" />;
  return (
    <span className={classes["line"]} data-kind={line.kind}>
      {line.kind !== "same" && (
        <span className="visually-hidden">{line.kind === "removed" ? "Before: " : "After: "}</span>
      )}
      <span className={classes["sign"]} aria-hidden>
        {SIGNS[line.kind]}
      </span>
      <span>{line.text}</span>
    </span>
  );
}

function linesIn(fragment: string | null): string[] {
  return fragment === null ? [] : fragment.split("\n");
}
