import { Anchor, Badge, Text } from "@mantine/core";
import { countOf } from "../../../lib/count-of.ts";
import { NotLoaded } from "../../../lib/lazy-part.tsx";
import classes from "./problem-list.module.css";
import type { Problems } from "./use-problems.ts";

const SHOWN_MAX = 100;

/** Every problem with its line, which a click shows in the text. */
export function ProblemList(props: Problems & { onShow: (line: number) => void }) {
  const { problems, isChecked, retry, onShow } = props;
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const state =
    problems.length === 0
      ? "No problems."
      : `${countOf(errors, "errors")}, ${countOf(problems.length - errors, "warnings")}.`;
  return (
    <section aria-label="Problems">
      {retry !== undefined && <NotLoaded what="What checks the text" onRetry={retry} />}
      {/* Screen readers say the outcome only, not that a check began. */}
      <Text size="sm" role="status" aria-busy={!isChecked}>
        {retry === undefined && (isChecked ? state : "Checking…")}
      </Text>
      {problems.length > 0 && (
        <ul className={classes["problems"]}>
          {problems.slice(0, SHOWN_MAX).map(({ line, column, code, severity, message, pointer }) => (
            <li key={`${line}:${column} ${code} ${pointer} ${message}`}>
              <Badge color={severity === "error" ? "red.9" : "gray.7"}>{severity}</Badge>{" "}
              <Anchor component="button" type="button" onClick={() => onShow(line)}>
                Line {line}
              </Anchor>
              : {message}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
