import { Badge, Group } from "@mantine/core";
import type { Severity } from "@waymark/shared/scans/schema.ts";
import { Link } from "wouter";
import { SEVERITY_COLORS } from "../lib/severities.ts";
import { LOCALE } from "../lib/locale.ts";

const POINTER = { cursor: "pointer" } as const;

/** Shows the number of a run's findings of some severities. Each number links to them. */
export function SeverityBadges(props: {
  scanRunId: string;
  severities: readonly Severity[];
  counts: Readonly<Record<Severity, number>>;
}) {
  const { scanRunId, severities, counts } = props;
  return (
    <Group gap={6}>
      {severities
        .filter((severity) => counts[severity] > 0)
        .map((severity) => (
          <Badge
            key={severity}
            color={SEVERITY_COLORS[severity]}
            component={Link}
            href={`/scan-runs/${scanRunId}?tab=findings&severity=${severity}`}
            style={POINTER}
          >
            {counts[severity].toLocaleString(LOCALE)} {severity}
          </Badge>
        ))}
    </Group>
  );
}
