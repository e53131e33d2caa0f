import { Text } from "@mantine/core";
import type { FindingDeadline } from "@waymark/shared/scans/schema.ts";

/** The day (UTC) on which a finding is due, and whether it is overdue; nothing without a deadline. */
export function DueDate({ of: { dueOn, isOverdue } }: { of: FindingDeadline }) {
  if (dueOn === null) return null;
  if (!isOverdue) return <time dateTime={dueOn}>{dueOn}</time>;
  return (
    <Text span inherit c="var(--mantine-color-error)" title={`Overdue: it was due on ${dueOn} (UTC)`}>
      overdue, <time dateTime={dueOn}>{dueOn}</time>
    </Text>
  );
}
