import { Anchor, Badge, Button, Code, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { Team } from "@waymark/shared/principals/teams/schema.ts";
import { Link } from "wouter";
import { Breadcrumbs } from "../../lib/breadcrumbs.tsx";
import { countOf } from "../../lib/count-of.ts";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { Fact, Facts } from "../../lib/facts.tsx";
import { LacksPermission } from "../../lib/lacks-permission.tsx";
import { lazyDialog } from "../../lib/lazy-dialog.tsx";
import { useMay } from "../../lib/use-session.ts";
import { useUrlDialog } from "../../lib/use-url-state.ts";
import { RoleGrantsSection } from "../role-grants-section.tsx";
import { useGrantTeamRole, useTakeTeamRole, useTeam, useTeamRoles } from "../use-teams.ts";
import { MembersSection } from "./members-section.tsx";

const load = () => import("./team-dialogs.tsx");
const TeamDialog = lazyDialog(async () => (await load()).TeamDialog);
const DeleteTeamDialog = lazyDialog(async () => (await load()).DeleteTeamDialog);

/** The page of a team: its members, and for those who may see people its roles. */
export default function TeamPage({ teamId }: { teamId: string }) {
  const team = useTeam(teamId);
  const mayReadPeople = useMay("principals:read");
  if (team.isPending) return <Skeleton height={480} aria-label="Loading the team" />;
  if (team.isLoadingError) return <ErrorAlert error={team.error} onRetry={() => void team.refetch()} />;
  return (
    <Stack gap="lg">
      <title>{`${team.data.displayName} · Waymark`}</title>
      <Head team={team.data} />
      <Facts>
        <Fact name="Slug">
          <Code>{team.data.slug}</Code>
        </Fact>
        {team.data.handles.length > 0 && <Fact name="In CODEOWNERS">{team.data.handles.join(", ")}</Fact>}
        <Fact name="Owns">
          <Anchor component={Link} href={`/services?owner=${team.data.slug}`}>
            {countOf(team.data.serviceCount, "services")}
          </Anchor>
        </Fact>
      </Facts>
      <MembersSection team={team.data} />
      {mayReadPeople && <RolesOfTeam team={team.data} />}
    </Stack>
  );
}

function Head({ team }: { team: Team }) {
  const mayManage = useMay("teams:manage");
  const mayReadPeople = useMay("principals:read");
  const changing = useUrlDialog("change");
  const deleting = useUrlDialog("delete");
  return (
    <div>
      {mayReadPeople && <Breadcrumbs steps={[{ href: "/people?tab=teams", label: "Teams" }]} />}
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <Title order={1} className="breaks">
            {team.displayName}
          </Title>
          {team.isMember && <Badge color="blue.8">yours</Badge>}
        </Group>
        {mayManage && (
          <Group gap="xs">
            <Button variant="default" onClick={() => changing.open("1")}>
              Change
            </Button>
            <Button variant="default" onClick={() => deleting.open("1")}>
              Delete…
            </Button>
          </Group>
        )}
      </Group>
      <LacksPermission permission="teams:manage" purpose="change teams" />
      {changing.value !== "" && mayManage && <TeamDialog team={team} onClose={changing.close} />}
      {deleting.value !== "" && mayManage && <DeleteTeamDialog team={team} onClose={deleting.close} />}
    </div>
  );
}

function RolesOfTeam({ team }: { team: Team }) {
  const roles = useTeamRoles(team.id);
  const grant = useGrantTeamRole(team.id);
  const take = useTakeTeamRole(team.id);
  if (roles.isLoadingError) return <ErrorAlert error={roles.error} onRetry={() => void roles.refetch()} />;
  if (roles.data === undefined) return <Text size="sm">Loading the roles</Text>;
  return (
    <RoleGrantsSection
      name={team.displayName}
      roleGrants={roles.data}
      grant={grant}
      take={take}
      none="No roles. Every member has the roles that the team gets."
    />
  );
}
