import { Anchor, Badge, Button, Code, Group, Skeleton, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import { countOf } from "../../lib/count-of.ts";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { LacksPermission } from "../../lib/lacks-permission.tsx";
import { lazyDialog } from "../../lib/lazy-dialog.tsx";
import { ResponsiveTable } from "../../lib/responsive-table.tsx";
import { useMay } from "../../lib/use-session.ts";
import { useUrlDialog } from "../../lib/use-url-state.ts";
import { useTeams } from "../../lib/use-teams.ts";

const TeamDialog = lazyDialog(async () => (await import("./team-dialogs.tsx")).TeamDialog);

/** The list of teams. */
export function TeamsPanel() {
  const mayRead = useMay("services:read");
  const teams = useTeams(mayRead);
  const mayManage = useMay("teams:manage");
  const creating = useUrlDialog("new-team");
  if (!mayRead) return <LacksPermission permission="services:read" purpose="see teams" />;
  if (teams.isPending) return <Skeleton height={160} aria-label="Loading the teams" />;
  if (teams.isLoadingError) return <ErrorAlert error={teams.error} onRetry={() => void teams.refetch()} />;
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm">A team owns services, and gives its members its roles.</Text>
        {mayManage && (
          <Button size="xs" variant="default" onClick={() => creating.open("1")}>
            Create a team
          </Button>
        )}
      </Group>
      {teams.data.teams.length === 0 ? (
        <Text role="status">No teams yet.</Text>
      ) : (
        <ResponsiveTable>
          <thead>
            <tr>
              <th>Name</th>
              <th>Slug</th>
              <th>Members</th>
              <th>Services</th>
            </tr>
          </thead>
          <tbody>
            {teams.data.teams.map(({ id, slug, displayName, memberCount, serviceCount, isMember }) => (
              <tr key={id}>
                <td className="breaks">
                  <Anchor component={Link} href={`/teams/${id}`} fw={600}>
                    {displayName}
                  </Anchor>{" "}
                  {isMember && <Badge color="blue.8">yours</Badge>}
                </td>
                <td data-label="Slug" className="breaks">
                  <Code>{slug}</Code>
                </td>
                <td data-label="Members">{countOf(memberCount, "members")}</td>
                <td data-label="Services">
                  <Anchor component={Link} href={`/services?owner=${slug}`}>
                    {countOf(serviceCount, "services")}
                  </Anchor>
                </td>
              </tr>
            ))}
          </tbody>
        </ResponsiveTable>
      )}
      {creating.value !== "" && mayManage && <TeamDialog team={undefined} onClose={creating.close} />}
    </Stack>
  );
}
