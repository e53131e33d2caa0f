import { Badge } from "@mantine/core";
import type { Severity } from "@waymark/shared/scans/schema.ts";
import { SEVERITY_COLORS } from "./severities.ts";

export function SeverityBadge({ severity }: { severity: Severity }) {
  return (
    <Badge color={SEVERITY_COLORS[severity]} variant="filled" radius="sm" size="sm" autoContrast={false}>
      {severity}
    </Badge>
  );
}
