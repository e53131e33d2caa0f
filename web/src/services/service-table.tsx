import { Anchor, Badge, Group, Text } from "@mantine/core";
import type { Service } from "@waymark/shared/services/schema.ts";
import { Link } from "wouter";
import { OwnerName } from "../lib/owner-name.tsx";
import { SortHeader } from "../lib/sort-header.tsx";
import { sortingOf } from "../lib/sorting.ts";
import { Sparkline } from "../lib/sparkline.tsx";
import { ResponsiveTable } from "../lib/responsive-table.tsx";
import { Time, TimeAgo } from "../lib/time.tsx";
import { HELD_COLOR } from "../lib/is-held.ts";
import classes from "./service-table.module.css";
import { describeChange, lastChangeOf } from "./service-risk.ts";
import { openBySeverity, sumOf } from "../lib/open-findings.ts";
import { SeverityBadges } from "./severity-badges.tsx";
import { LOCALE } from "../lib/locale.ts";
import { OverdueLink } from "./overdue-link.tsx";

const SEVERE = ["critical", "high"] as const;

const HEADERS = [
  { id: "name", label: "Service", right: false },
  { id: "risk", label: "Severe", right: false },
  { id: "scanned", label: "Current scan", right: false },
  { id: "endpoints", label: "Endpoints", right: true },
  { id: "findings", label: "Findings", right: true },
] as const;

/** The services with their severe findings, current scans and counts. */
export function ServiceTable(props: {
  services: readonly Service[];
  order: string;
  onOrder: (order: string) => void;
}) {
  const { services, order, onOrder } = props;
  return (
    <ResponsiveTable>
      <thead>
        <tr>
          {HEADERS.map(({ id, label, right }) => {
            const { sorted, next } = sortingOf(order, id);
            return (
              <th key={id} aria-sort={sorted ?? "none"} className={right ? classes["number"] : undefined}>
                <SortHeader label={label} sorted={sorted} onSort={() => onOrder(next)} />
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {services.map((service) => (
          <ServiceRow key={service.id} service={service} />
        ))}
      </tbody>
    </ResponsiveTable>
  );
}

function ServiceRow({ service }: { service: Service }) {
  const trend = service.trend ?? [];
  return (
    <tr>
      <td className="breaks">
        <Anchor component={Link} href={`/services/${service.id}`} fw={600}>
          {service.name}
        </Anchor>
        <OwnerName of={service.ownerTeam} />
      </td>
      <td data-label="Severe" data-wide>
        <SevereFindings service={service} />
      </td>
      <td data-label="Current scan" data-wide>
        {service.currentScanRunId === null ? (
          "No successful scan"
        ) : (
          <Anchor component={Link} href={`/scan-runs/${service.currentScanRunId}`}>
            <Time at={service.lastScannedAt} />
          </Anchor>
        )}
        <LastChange service={service} />
        <FailedScan service={service} />
        <HeldScan service={service} />
      </td>
      <CountCell
        label="Endpoints"
        count={service.endpointCount}
        trend={trend.map((point) => point.endpointCount)}
      />
      <CountCell
        label="Findings"
        count={service.findingCount}
        trend={trend.map((point) => point.findingCount)}
      />
    </tr>
  );
}

/** The numbers of critical and high findings that are open, and of all that are overdue. */
function SevereFindings({ service }: { service: Service }) {
  const { currentScanRunId, findingsBySeverity, decidedBySeverity } = service;
  if (currentScanRunId === null || findingsBySeverity === null) return "–";
  const counts = openBySeverity({ findingsBySeverity, decidedBySeverity });
  const decided = sumOf(decidedBySeverity);
  return (
    <Group gap="xs">
      {SEVERE.every((severity) => counts[severity] === 0) ? (
        "none"
      ) : (
        <SeverityBadges scanRunId={currentScanRunId} severities={SEVERE} counts={counts} decided={decided} />
      )}
      <OverdueLink of={service} />
    </Group>
  );
}

/** Shows the last change of the counts. */
function LastChange({ service: { trend = [] } }: { service: Service }) {
  const change = lastChangeOf(trend);
  if (change === null) return null;
  return (
    <Text size="sm" c="dimmed">
      {describeChange(change)}, <TimeAgo at={change.at} />
    </Text>
  );
}

/**
 * Says that the last scan was not promoted, for example because of a gate: the row's counts are those of an older one.
 */
function HeldScan({ service: { lastHeldScan: held } }: { service: Service }) {
  if (held === null) return null;
  return (
    <Text size="sm">
      <Badge
        color={HELD_COLOR}
        component={Link}
        href={`/scan-runs/${held.scanRunId}`}
        className={classes["link"] ?? ""}
      >
        not promoted
      </Badge>{" "}
      <TimeAgo at={held.scannedAt} />
    </Text>
  );
}

/** Says that the last scan failed: the row's counts are those of an older one. */
function FailedScan({ service: { lastFailedScan: failed } }: { service: Service }) {
  if (failed === null) return null;
  return (
    <Text size="sm" className="breaks">
      <Badge
        color="red.9"
        component={Link}
        href={`/scan-runs/${failed.scanRunId}`}
        className={classes["link"] ?? ""}
      >
        failed
      </Badge>{" "}
      <TimeAgo at={failed.scannedAt} />: {failed.error.message}
    </Text>
  );
}

function CountCell(props: {
  label: "Endpoints" | "Findings";
  count: number | null;
  trend: readonly number[];
}) {
  const { label, count, trend } = props;
  return (
    <td data-label={label} className={classes["number"]} data-series={label.toLowerCase()}>
      <span className={classes["count"]}>
        <Sparkline label={label} values={trend} />
        <span>{count?.toLocaleString(LOCALE) ?? "–"}</span>
      </span>
    </td>
  );
}
