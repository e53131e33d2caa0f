import { Anchor, Badge, Group, Text, Title } from "@mantine/core";
import { ConcernKind, type ServiceConcern } from "@waymark/shared/services/overview/schema.ts";
import { type ReactNode, useId } from "react";
import { Link } from "wouter";
import { countOf } from "../lib/count-of.ts";
import { describeFailed } from "../lib/describe-gates.ts";
import { ResponsiveTable } from "../lib/responsive-table.tsx";
import { SEVERITY_COLORS } from "../lib/severities.ts";
import { SourceLine } from "../lib/source-line.tsx";
import { sourceParts, webAddress } from "../lib/source-parts.ts";
import { OwnerName } from "../lib/owner-name.tsx";
import { TimeAgo } from "../lib/time.tsx";
import classes from "./overview.module.css";
import { allOf, ShowAll } from "./overview-sections.tsx";
import { LOCALE } from "../lib/locale.ts";

interface Kind {
  title: string;
  /** The column that describes the problem. */
  what: string;
  describe: (concern: ServiceConcern) => ReactNode;
  /** Returns the link to the page that helps with a concern. */
  next: (concern: ServiceConcern) => { href: string; label: string };
}

const runOf = ({ scanRunId }: ServiceConcern, search = "") => `/scan-runs/${scanRunId}${search}`;

const KINDS: Record<ConcernKind, Kind> = {
  failed: {
    title: "Last scan failed",
    what: "Why",
    describe: ({ error }) => error?.message ?? "The scan failed.",
    next: (concern) => ({ href: runOf(concern), label: "Open the scan" }),
  },
  held: {
    title: "Last scan not promoted",
    what: "What",
    describe: ({ failedGates }) => {
      const failed = describeFailed(failedGates);
      return `${failed === undefined ? "" : `It ${failed}. `}The service shows the scan before it.`;
    },
    next: (concern) => ({ href: runOf(concern), label: "Open the scan" }),
  },
  breaking: {
    title: "Changes that break clients",
    what: "Breaks clients",
    describe: ({ breakingChanges, approvedChanges }) =>
      countOf(breakingChanges, "changes") +
      (approvedChanges > 0 ? ` (${approvedChanges.toLocaleString(LOCALE)} approved)` : ""),
    next: (concern) => ({ href: runOf(concern, "?tab=changes"), label: "Show the changes" }),
  },
  removed: {
    title: "Removed endpoints",
    what: "Removed",
    describe: ({ removedEndpoints }) => `−${countOf(removedEndpoints, "endpoints")}`,
    next: (concern) => ({ href: runOf(concern, "?tab=changes"), label: "Show the changes" }),
  },
  severe: {
    title: "New severe findings",
    what: "New",
    describe: ({ newCritical, newHigh }) => (
      <Group gap={6}>
        {newCritical > 0 && (
          <Badge color={SEVERITY_COLORS.critical}>{newCritical.toLocaleString(LOCALE)} critical</Badge>
        )}
        {newHigh > 0 && <Badge color={SEVERITY_COLORS.high}>{newHigh.toLocaleString(LOCALE)} high</Badge>}
      </Group>
    ),
    next: (concern) => ({ href: runOf(concern, "?tab=changes"), label: "Show the changes" }),
  },
};

/** Services that need attention by why they do, the worst first. */
export function ConcernSections(props: {
  concerns: readonly ServiceConcern[];
  counts: Readonly<Record<ConcernKind, number>>;
  /** The only kind that is shown, whole. */
  only?: ConcernKind;
}) {
  const { concerns, counts, only } = props;
  return ConcernKind.options
    .filter((kind) => only === undefined || kind === only)
    .map((kind) => {
      const own = concerns.filter((concern) => concern.kind === kind);
      return own.length === 0 ? null : (
        <ConcernSection
          key={kind}
          kind={KINDS[kind]}
          concerns={own}
          count={counts[kind]}
          all={only === undefined ? allOf(kind) : undefined}
        />
      );
    });
}

function ConcernSection(props: {
  kind: Kind;
  concerns: readonly ServiceConcern[];
  count: number;
  /** The page with all of them. Undefined on that page. */
  all: string | undefined;
}) {
  const { kind, concerns, count, all } = props;
  const id = useId();
  return (
    <section aria-labelledby={id} className={classes["concerns"]}>
      <Group gap="sm" mb={4}>
        <Title order={2} size="h4" id={id}>
          {kind.title} ({count.toLocaleString(LOCALE)})
        </Title>
        <ShowAll all={all} count={count} listed={concerns.length} />
      </Group>
      <ResponsiveTable aria-labelledby={id}>
        <thead>
          <tr>
            <th>Service</th>
            <th>{kind.what}</th>
            <th>Since</th>
            <th>Next</th>
          </tr>
        </thead>
        <tbody>
          {concerns.map((concern) => (
            <ConcernRow key={concern.serviceId} kind={kind} concern={concern} />
          ))}
        </tbody>
      </ResponsiveTable>
    </section>
  );
}

function ConcernRow({ kind, concern }: { kind: Kind; concern: ServiceConcern }) {
  const { serviceId, serviceName, since, source } = concern;
  const { href, label } = kind.next(concern);
  const build = webAddress(source?.url ?? null);
  const origin = sourceParts(source)
    .map(({ text }) => text)
    .join(" · ");
  return (
    <tr>
      <td className="breaks">
        <Anchor component={Link} href={`/services/${serviceId}`} fw={600}>
          {serviceName}
        </Anchor>
        <OwnerName of={concern.ownerTeam} />
      </td>
      <td data-label={kind.what} data-wide className="breaks">
        {kind.describe(concern)}
      </td>
      <td data-label="Since">
        <TimeAgo at={since} />
        {origin !== "" && (
          <Text size="sm" c="dimmed" className="truncated" title={origin}>
            <SourceLine source={source} />
          </Text>
        )}
      </td>
      <td data-label="Next">
        <Group gap="0.25rem 0.75rem">
          <Anchor component={Link} href={href} size="sm" aria-label={`${label} of ${serviceName}`}>
            {label}
          </Anchor>
          {build !== null && (
            <Anchor
              href={build}
              target="_blank"
              rel="noreferrer"
              size="sm"
              aria-label={`Build of ${serviceName}`}
            >
              Build
            </Anchor>
          )}
        </Group>
      </td>
    </tr>
  );
}
