import { Text } from "@mantine/core";
import type { TeamSummary } from "@waymark/shared/principals/team-names/schema.ts";

/**
 * Shows the team that owns a service, below its name; nothing without one.
 *
 * @param props.isInline true where a row has one line
 */
export function OwnerName({ of: team, isInline = false }: { of: TeamSummary | null; isInline?: boolean }) {
  if (team === null) return null;
  return (
    <Text
      span={isInline}
      size="xs"
      c="dimmed"
      ml={isInline ? 6 : 0}
      truncate={!isInline}
      title={`Owned by ${team.displayName} (${team.slug})`}
    >
      {team.displayName}
    </Text>
  );
}
