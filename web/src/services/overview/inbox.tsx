import { Anchor, Tabs, Text, Title } from "@mantine/core";
import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import { Link } from "wouter";
import { LOCALE } from "../../lib/locale.ts";
import { useServiceFilterAddress } from "../../lib/use-service-filter.ts";
import { useMay } from "../../lib/use-session.ts";
import { useUrlTab } from "../../lib/use-url-state.ts";
import { describeChecks } from "./describe-checks.ts";
import { inboxSections, type InboxSection } from "./inbox-items.ts";
import { InboxTable } from "./inbox-table.tsx";
import classes from "./inbox.module.css";
import { countSnoozed, Snoozed } from "./snoozed.tsx";
import { useMaySnooze } from "./use-snoozes.ts";
import { useSnoozing } from "./use-snoozing.tsx";

const TABS = ["open", "accepted"] as const;
const TABS_OF_PERSON = [...TABS, "snoozed"] as const;

/** Everything that needs attention in one list; what somebody has accepted, and what the person has snoozed, in others. */
export function Inbox({ overview, isFiltered }: { overview: Overview; isFiltered: boolean }) {
  const addressOf = useServiceFilterAddress();
  const maySnooze = useMaySnooze();
  const tab = useUrlTab<(typeof TABS_OF_PERSON)[number]>(maySnooze ? TABS_OF_PERSON : TABS);
  const mayReadApprovals = useMay("endpoints:read");
  // Journeys, schedules and keys have neither an owner nor labels.
  const sections = inboxSections(overview).filter(({ items }) => !isFiltered || items[0]?.service !== null);
  const accepted = sections.filter(({ section }) => section === "accepted");
  const open = sections.filter(({ section }) => section !== "accepted");
  const snoozedCount = countSnoozed(overview, { isFiltered });
  const { column, status } = useSnoozing(open, overview.snoozes);
  return (
    <section aria-labelledby="inbox">
      <Title order={2} size="h4" id="inbox" mb={4}>
        Inbox
      </Title>
      <Tabs {...tab} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="open">Open ({sumOf(open)})</Tabs.Tab>
          <Tabs.Tab value="accepted">Accepted ({sumOf(accepted)})</Tabs.Tab>
          {maySnooze && <Tabs.Tab value="snoozed">Snoozed ({snoozedCount.toLocaleString(LOCALE)})</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="open">
          {status}
          {open.length === 0 ? (
            <Calm overview={overview} isFiltered={isFiltered} snoozedCount={snoozedCount} />
          ) : (
            <InboxTable label="Open" sections={open} isWhole={false} column={column} />
          )}
          {isFiltered && (
            <Text size="sm" c="dimmed" mt="xs">
              Journeys, schedules and keys have no owner and no labels: clear the filters to see them.
            </Text>
          )}
        </Tabs.Panel>
        {maySnooze && (
          <Tabs.Panel value="snoozed">
            <Snoozed isFiltered={isFiltered} />
            <Text size="sm" c="dimmed" mt="xs">
              These items are hidden from your inbox, and from nobody else’s. Each comes back at its time, or
              when something new happens to it or it becomes worse. The numbers above the inbox count them.
            </Text>
          </Tabs.Panel>
        )}
        <Tabs.Panel value="accepted">
          {accepted.length === 0 ? (
            <Text mt="sm">No change of the last days breaks clients and is approved as a whole.</Text>
          ) : (
            <InboxTable label="Accepted" sections={accepted} isWhole={false} />
          )}
          {mayReadApprovals && (
            <Text size="sm" mt="xs">
              <Anchor component={Link} href={addressOf("/decisions", { tab: "changes" })}>
                All approvals of changes
              </Anchor>
            </Text>
          )}
        </Tabs.Panel>
      </Tabs>
    </section>
  );
}

function describeCalm(snoozedCount: number): string {
  if (snoozedCount === 0) return "Nothing needs attention.";
  return snoozedCount === 1
    ? "Nothing needs attention but 1 item that you have snoozed."
    : `Nothing needs attention but ${snoozedCount.toLocaleString(LOCALE)} items that you have snoozed.`;
}

function sumOf(sections: readonly InboxSection[]): string {
  return sections.reduce((sum, { count }) => sum + count, 0).toLocaleString(LOCALE);
}

/** Says that nothing needs attention, and what was looked at. It looks like good news only where everything is known. */
function Calm(props: { overview: Overview; isFiltered: boolean; snoozedCount: number }) {
  const { overview, isFiltered, snoozedCount } = props;
  const { checked, unknown } = describeChecks(overview, { isFiltered });
  const isEmpty = overview.serviceCount === 0;
  return (
    <div className={classes["calm"]}>
      {unknown.length === 0 && !isEmpty && snoozedCount === 0 && (
        <svg viewBox="0 0 24 24" width={40} height={40} aria-hidden className={classes["check"]}>
          <circle cx={12} cy={12} r={11} />
          <path d="M7 12.5l3.5 3.5L17 9" />
        </svg>
      )}
      <Text fw={600} size="lg">
        {isEmpty ? "No service matches the filters." : describeCalm(snoozedCount)}
      </Text>
      {!isEmpty && (
        <Text size="sm" c="dimmed">
          Looked at {checked}.
        </Text>
      )}
      {unknown.map((sentence) => (
        <Text key={sentence} size="sm">
          {sentence}
        </Text>
      ))}
    </div>
  );
}
