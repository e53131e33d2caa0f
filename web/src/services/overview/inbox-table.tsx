import { Anchor, Badge, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { LOCALE } from "../../lib/locale.ts";
import { OwnerName } from "../../lib/owner-name.tsx";
import { ResponsiveTable } from "../../lib/responsive-table.tsx";
import { SourceLine } from "../../lib/source-line.tsx";
import { sourceParts, webAddress } from "../../lib/source-parts.ts";
import { TimeAgo, TimeUntil } from "../../lib/time.tsx";
import { useServiceFilterAddress } from "../../lib/use-service-filter.ts";
import type { InboxItem, InboxSection } from "./inbox-items.ts";
import classes from "./inbox.module.css";
import { OVERVIEW_SECTIONS } from "./overview-sections.ts";

/** A column after the others. */
export interface InboxColumn {
  head: string;
  cell: (item: InboxItem) => ReactNode;
}

/**
 * Lists what needs attention, one row for each item.
 *
 * @param props.isWhole true on the page with all items of one kind
 * @param props.column what can be done with each item
 */
export function InboxTable({
  label,
  sections,
  isWhole,
  column,
}: {
  label: string;
  sections: readonly InboxSection[];
  isWhole: boolean;
  column?: InboxColumn | undefined;
}) {
  return (
    <div className={classes["inbox"]} data-column={column?.head}>
      <ResponsiveTable aria-label={label}>
        <thead>
          <tr>
            <th>What</th>
            <th>Service</th>
            <th>Change by</th>
            <th>Age</th>
            <th>Build</th>
            {column !== undefined && <th>{column.head}</th>}
          </tr>
        </thead>
        {sections.map((section) => (
          <SectionRows key={section.section} isWhole={isWhole} column={column} {...section} />
        ))}
      </ResponsiveTable>
    </div>
  );
}

function SectionRows(props: InboxSection & { isWhole: boolean; column: InboxColumn | undefined }) {
  const { section, items, count, isWhole, column } = props;
  const addressOf = useServiceFilterAddress();
  return (
    <tbody>
      {items.map((item) => (
        <ItemRow key={item.id} item={item} column={column} />
      ))}
      {count > items.length && (
        <tr>
          <td colSpan={column === undefined ? 5 : 6}>
            {isWhole || section === "pullRequests" ? (
              <Text size="sm">The first {items.length.toLocaleString(LOCALE)} are listed.</Text>
            ) : (
              <Anchor component={Link} href={addressOf("/", { all: section })} size="sm">
                Show all {count.toLocaleString(LOCALE)} {OVERVIEW_SECTIONS[section]}
              </Anchor>
            )}
          </td>
        </tr>
      )}
    </tbody>
  );
}

function ItemRow({ item, column }: { item: InboxItem; column: InboxColumn | undefined }) {
  const { badge, text, href, service, source, at } = item;
  const build = webAddress(source?.url ?? null);
  const origin = sourceParts(source)
    .map((part) => part.text)
    .join(" · ");
  return (
    <tr data-item={item.id}>
      <td data-wide>
        <div className={classes["what"]}>
          <Badge color={badge.color} size="sm" radius="sm" className={classes["badge"] ?? ""}>
            {badge.text}
          </Badge>
          <Anchor component={Link} href={href} title={text}>
            {text}
          </Anchor>
        </div>
      </td>
      {service === null ? (
        <td data-label="Service" />
      ) : (
        <td data-label="Service" title={service.name}>
          <Anchor component={Link} href={`/services/${service.id}`} fw={600}>
            {service.name}
          </Anchor>
          <OwnerName of={service.ownerTeam} isInline />
        </td>
      )}
      {origin === "" ? (
        <td data-label="Change by" />
      ) : (
        <td data-label="Change by" title={origin}>
          <SourceLine source={source} />
        </td>
      )}
      <td data-label="Age">{Date.parse(at) > Date.now() ? <TimeUntil at={at} /> : <TimeAgo at={at} />}</td>
      {build === null ? (
        <td data-label="Build" />
      ) : (
        <td data-label="Build">
          <Anchor
            href={build}
            target="_blank"
            rel="noreferrer"
            aria-label={`Build of ${service?.name ?? text}`}
          >
            Build
          </Anchor>
        </td>
      )}
      {column !== undefined && <td data-label={column.head}>{column.cell(item)}</td>}
    </tr>
  );
}
