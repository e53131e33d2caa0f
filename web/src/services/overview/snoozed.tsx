import { Button, Skeleton, Text } from "@mantine/core";
import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { useLabelFilter } from "../../lib/label-filter.tsx";
import { useOwnerFilter } from "../../lib/owner-filter.tsx";
import { RequestError } from "../../lib/request-error.tsx";
import { Time } from "../../lib/time.tsx";
import { type InboxItem, inboxSections } from "./inbox-items.ts";
import { InboxTable } from "./inbox-table.tsx";
import type { OverviewSection } from "./overview-sections.ts";
import { useSnoozedOverview } from "./use-overview.ts";
import { useUnsnooze } from "./use-snoozes.ts";

/** Kinds of items that belong to services: only these are in the inbox while services are filtered. */
const OF_SERVICES: ReadonlySet<string> = new Set([
  "breaking",
  "removed",
  "gates",
  "held",
  "failed",
  "severe",
  "overdueServices",
  "newServices",
]);

/** Returns how many items the person has snoozed, of one kind or of all that the inbox has. */
export function countSnoozed(
  { snoozes }: Pick<Overview, "snoozes">,
  { isFiltered, section }: { isFiltered: boolean; section?: OverviewSection | undefined },
): number {
  return snoozes.filter(
    ({ kind }) => (section === undefined || kind === section) && (!isFiltered || OF_SERVICES.has(kind)),
  ).length;
}

/** Lists what the person has snoozed, each with the time of its return. @param props.section only this kind */
export function Snoozed(props: { isFiltered: boolean; section?: OverviewSection }) {
  const { isFiltered, section } = props;
  const { text: label } = useLabelFilter();
  const owner = useOwnerFilter();
  const unsnooze = useUnsnooze();
  const { data, isPending, isLoadingError, error, refetch } = useSnoozedOverview({
    label,
    owner,
    isWanted: true,
  });
  if (isPending) return <Skeleton height={120} aria-label="Loading what is snoozed" />;
  if (isLoadingError) return <ErrorAlert error={error} onRetry={() => void refetch()} />;
  const sections = inboxSections(data).filter(
    (each) =>
      (section === undefined || each.section === section) && (!isFiltered || OF_SERVICES.has(each.section)),
  );
  const untilOf = ({ event }: InboxItem) =>
    data.snoozes.find(({ kind, subjectId }) => kind === event?.kind && subjectId === event.subjectId)
      ?.until ?? null;
  if (sections.length === 0) return <Text mt="sm">You have snoozed nothing that is in the inbox.</Text>;
  return (
    <>
      {unsnooze.error !== null && <RequestError title="It is still snoozed" error={unsnooze.error} />}
      <InboxTable
        label="Snoozed"
        sections={sections}
        isWhole
        column={{
          head: "Until",
          cell: (item) => (
            <>
              <Time at={untilOf(item)} />{" "}
              <Button
                size="compact-xs"
                variant="default"
                aria-label={`Return ${item.service?.name ?? ""} ${item.text} to the inbox`}
                onClick={() => item.event !== null && unsnooze.mutate(item.event)}
              >
                Return
              </Button>
            </>
          ),
        }}
      />
    </>
  );
}
