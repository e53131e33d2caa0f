import { Text } from "@mantine/core";
import { useMemo } from "react";
import { diffLines } from "../../lib/line-diff.ts";
import classes from "./text-difference.module.css";

const MARKS = { same: " ", removed: "-", added: "+" } as const;
const LINES_MAX = 2_000;

/** The changed lines of two texts, with the lines around them. */
export function TextDifference({ before, after, label }: { before: string; after: string; label: string }) {
  const hunks = useMemo(() => diffLines(before, after), [before, after]);
  const lines = hunks.flatMap((hunk) => hunk.map((line, at) => ({ ...line, isFirst: at === 0 })));
  if (lines.length === 0) return <Text>Nothing: the texts have the same bytes.</Text>;
  return (
    <>
      <pre className={classes["difference"]} tabIndex={0} aria-label={label}>
        {lines.slice(0, LINES_MAX).map(({ kind, text, number, isFirst }) => (
          <span key={`${kind} ${number}`} className={classes["line"]} data-kind={kind} data-first={isFirst}>
            {`${MARKS[kind]} ${text}`}
          </span>
        ))}
      </pre>
      {lines.length > LINES_MAX && (
        <Text size="sm" c="dimmed">
          {lines.length - LINES_MAX} more lines are not shown.
        </Text>
      )}
    </>
  );
}
