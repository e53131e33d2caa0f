import { Anchor, Badge, Text } from "@mantine/core";
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

/**
 * Lists what needs attention, one row for each item.
 *
 * @param props.isWhole true on the page with all items of one kind
 */
export function InboxTable({
  label,
  sections,
  isWhole,
}: {
  label: string;
  sections: readonly InboxSection[];
  isWhole: boolean;
}) {
  return (
    <div className={classes["inbox"]}>
      <ResponsiveTable aria-label={label}>
        <thead>
          <tr>
            <th>What</th>
            <th>Service</th>
            <th>Change by</th>
            <th>Age</th>
            <th>Build</th>
          </tr>
        </thead>
        {sections.map((section) => (
          <SectionRows key={section.section} isWhole={isWhole} {...section} />
        ))}
      </ResponsiveTable>
    </div>
  );
}

function SectionRows({ section, items, count, isWhole }: InboxSection & { isWhole: boolean }) {
  const addressOf = useServiceFilterAddress();
  return (
    <tbody>
      {items.map((item) => (
        <ItemRow key={item.id} item={item} />
      ))}
      {count > items.length && (
        <tr>
          <td colSpan={5}>
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

function ItemRow({ item: { badge, text, href, service, source, at } }: { item: InboxItem }) {
  const build = webAddress(source?.url ?? null);
  const origin = sourceParts(source)
    .map((part) => part.text)
    .join(" · ");
  return (
    <tr>
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
    </tr>
  );
}
