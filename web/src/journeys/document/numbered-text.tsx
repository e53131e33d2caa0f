import { Code } from "@mantine/core";
import { useEffect, useRef } from "react";
import classes from "./numbered-text.module.css";

/**
 * A text with its line numbers, for reading.
 *
 * @param props.current the number of the line that a link leads to; 0 for none
 */
export function NumberedText({
  text,
  label,
  current = 0,
}: {
  text: string;
  label: string;
  current?: number;
}) {
  const marked = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    // New browsers answer it with a promise, which is no cleanup of an effect.
    marked.current?.scrollIntoView({ block: "center" });
  }, [text, current]);
  return (
    <Code block tabIndex={0} className={classes["text"] ?? ""} aria-label={label}>
      {text.split(/\r?\n/).map((line, n) =>
        n + 1 === current ? (
          <mark key={n} ref={marked} className={classes["line"]}>
            {line}
          </mark>
        ) : (
          // Lines of a version never move.
          // oxlint-disable-next-line react/no-array-index-key
          <span key={n} className={classes["line"]}>
            {line}
          </span>
        ),
      )}
    </Code>
  );
}
