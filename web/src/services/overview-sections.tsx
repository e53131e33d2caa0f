import { Anchor, Text } from "@mantine/core";
import { ConcernKind } from "@waymark/shared/services/overview/schema.ts";
import { LOCALE } from "../lib/locale.ts";
import { Link } from "wouter";

/** The lists of the overview, each of which has an address of its own. */
export const OVERVIEW_SECTIONS = [
  ...ConcernKind.options,
  "newServices",
  "expiringKeys",
  "refusedKeys",
  "failingJourneys",
  "troubledSchedules",
] as const;
export type OverviewSection = (typeof OVERVIEW_SECTIONS)[number];

/** The page with all rows of one list: the rows that its heading counts. */
export function allOf(section: OverviewSection): string {
  return `/?all=${section}`;
}

/**
 * Leads to all rows of a list that shows some of them, and says on that page if there are more than it can have.
 *
 * @param props.all undefined on the page with all of them
 */
export function ShowAll({ all, count, listed }: { all: string | undefined; count: number; listed: number }) {
  if (count <= listed) return null;
  return all === undefined ? (
    <Text size="sm">The first {listed.toLocaleString(LOCALE)} are listed.</Text>
  ) : (
    <Anchor component={Link} href={all} size="sm">
      Show all
    </Anchor>
  );
}
