import { Alert, List, Text } from "@mantine/core";
import type { Comparison } from "@waymark/shared/scans/comparisons/schema.ts";
import type { ReactNode } from "react";
import { LOCALE } from "../locale.ts";
import { MarkedText } from "../endpoint/marked-text.tsx";
import { describeComparison } from "./describe-comparison.ts";

const COLORS = { breaks: "red", open: "yellow", fine: "teal" } as const;

/** The number of parts that were not compared that are listed: a description may have thousands of references that lead nowhere. */
const PARTS_MAX = 20;

/** Says first whether a run breaks clients, and what was not compared. @param props.children further actions */
export function ComparisonSummary({
  comparison,
  children,
}: {
  comparison: Comparison;
  children?: ReactNode;
}) {
  const { tone, headline, detail } = describeComparison(comparison);
  const { notCompared, notListed } = comparison;
  return (
    <Alert color={COLORS[tone]} title={headline} role="status">
      {detail !== "" && <MarkedText text={detail} />}
      {notCompared.length > 0 && (
        <List size="sm" mt="xs">
          {notCompared.slice(0, PARTS_MAX).map(({ message, place }) => (
            <List.Item key={`${message} ${place?.pointer}`} className="breaks">
              Not compared: {message}
              {place !== null && ` (#${place.pointer})`}
            </List.Item>
          ))}
          {notCompared.length > PARTS_MAX && (
            <List.Item>and {(notCompared.length - PARTS_MAX).toLocaleString(LOCALE)} more parts</List.Item>
          )}
        </List>
      )}
      {notListed > 0 && (
        <Text size="sm" mt="xs">
          {notListed.toLocaleString(LOCALE)} further changes are counted and not listed.
        </Text>
      )}
      {children}
    </Alert>
  );
}
