import { Anchor, Tabs, Text, Title } from "@mantine/core";
import { type Overview, RECENT_DAYS } from "@waymark/shared/services/overview/schema.ts";
import { Link } from "wouter";
import { countOf } from "../../lib/count-of.ts";
import { LOCALE } from "../../lib/locale.ts";
import { useServiceFilterAddress } from "../../lib/use-service-filter.ts";
import { useUrlTab } from "../../lib/use-url-state.ts";
import { describeNotCompared } from "./days-of-breaks.ts";
import { dayOf } from "./days-of-totals.ts";
import { inboxSections, type InboxSection } from "./inbox-items.ts";
import { InboxTable } from "./inbox-table.tsx";
import classes from "./inbox.module.css";
import { describeUnreadable } from "./unreadable-lists.ts";

const DAY_MS = 86_400_000;
const TABS = ["open", "accepted"] as const;

/** Everything that needs attention in one list, and what somebody has accepted in another one. */
export function Inbox({ overview, isFiltered }: { overview: Overview; isFiltered: boolean }) {
  const tab = useUrlTab(TABS);
  const addressOf = useServiceFilterAddress();
  // Journeys, schedules and keys have neither an owner nor labels.
  const sections = inboxSections(overview).filter(({ items }) => !isFiltered || items[0]?.service !== null);
  const accepted = sections.filter(({ section }) => section === "accepted");
  const open = sections.filter(({ section }) => section !== "accepted");
  return (
    <section aria-labelledby="inbox">
      <Title order={2} size="h4" id="inbox" mb={4}>
        Inbox
      </Title>
      <Tabs {...tab} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="open">Open ({sumOf(open)})</Tabs.Tab>
          <Tabs.Tab value="accepted">Accepted ({sumOf(accepted)})</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="open">
          {open.length === 0 ? (
            <Calm overview={overview} />
          ) : (
            <InboxTable label="Open" sections={open} isWhole={false} />
          )}
          <NotCompared overview={overview} />
          {isFiltered && (
            <Text size="sm" c="dimmed" mt="xs">
              Journeys, schedules and keys have no owner and no labels: clear the filters to see them.
            </Text>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="accepted">
          {accepted.length === 0 ? (
            <Text mt="sm">No change of the last days breaks clients and is approved as a whole.</Text>
          ) : (
            <InboxTable label="Accepted" sections={accepted} isWhole={false} />
          )}
          <Text size="sm" mt="xs">
            <Anchor component={Link} href={addressOf("/decisions", { tab: "changes" })}>
              All approvals of changes
            </Anchor>
          </Text>
        </Tabs.Panel>
      </Tabs>
    </section>
  );
}

function sumOf(sections: readonly InboxSection[]): string {
  return sections.reduce((sum, { count }) => sum + count, 0).toLocaleString(LOCALE);
}

/** Says that nothing needs attention, and of how much that is known. */
function Calm({ overview }: { overview: Overview }) {
  const { serviceCount, pendingServiceCount } = overview;
  const unreadable = describeUnreadable(overview);
  return (
    <div className={classes["calm"]}>
      <Text fw={600}>Nothing needs attention.</Text>
      <Text size="sm" c="dimmed">
        {pendingServiceCount === 0
          ? `Looked at the last scans of ${countOf(serviceCount, "services")}.`
          : `Looked at ${countOf(serviceCount, "services")}; ${pendingServiceCount.toLocaleString(LOCALE)} of them ${pendingServiceCount === 1 ? "is" : "are"} still being evaluated.`}
        {unreadable !== "" && ` You may not read ${unreadable}: it is not known whether they need attention.`}
      </Text>
    </div>
  );
}

/** Says of how many runs it is not known what they break. */
function NotCompared({ overview: { dailyBreaks } }: { overview: Overview }) {
  const since = dayOf(Date.now() - RECENT_DAYS * DAY_MS);
  const unknown = describeNotCompared((dailyBreaks ?? []).filter(({ day }) => day > since));
  return (
    unknown !== "" && (
      <Text size="sm" c="dimmed" mt="xs">
        In the last {RECENT_DAYS} days, {unknown}
      </Text>
    )
  );
}
