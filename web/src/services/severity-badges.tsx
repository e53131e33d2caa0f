import { Badge, Group } from "@mantine/core";
import type { Severity } from "@waymark/shared/scans/schema.ts";
import { Link } from "wouter";
import { SEVERITY_COLORS } from "../lib/severities.ts";
import { LOCALE } from "../lib/locale.ts";

const POINTER = { cursor: "pointer" } as const;

/** Shows the number of a run's open findings of some severities. Each number links to them. */
export function SeverityBadges(props: {
  scanRunId: string;
  severities: readonly Severity[];
  counts: Readonly<Record<Severity, number>>;
  /** The number of the run's findings that are decided, and not among the counts. */
  decided: number;
}) {
  const { scanRunId, severities, counts, decided } = props;
  const state = decided === 0 ? "" : "&state=open";
  return (
    <Group gap={6}>
      {severities
        .filter((severity) => counts[severity] > 0)
        .map((severity) => (
          <Badge
            key={severity}
            color={SEVERITY_COLORS[severity]}
            component={Link}
            href={`/scan-runs/${scanRunId}?tab=findings&severity=${severity}${state}`}
            style={POINTER}
          >
            {counts[severity].toLocaleString(LOCALE)} {severity}
          </Badge>
        ))}
    </Group>
  );
}
