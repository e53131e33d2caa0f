import { Anchor, Badge, Text } from "@mantine/core";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import { countOf } from "../../../lib/count-of.ts";
import classes from "./problem-list.module.css";

const SHOWN_MAX = 100;

/** Every problem with its line, which a click shows in the text. */
export function ProblemList(props: {
  problems: readonly Problem[];
  isChecked: boolean;
  onShow: (line: number) => void;
}) {
  const { problems, isChecked, onShow } = props;
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const state =
    problems.length === 0
      ? "No problems."
      : `${countOf(errors, "errors")}, ${countOf(problems.length - errors, "warnings")}.`;
  return (
    <section aria-label="Problems">
      {/* Screen readers say the outcome only, not that a check began. */}
      <Text size="sm" role="status" aria-busy={!isChecked}>
        {isChecked ? state : "Checking…"}
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
