import { Anchor, Badge, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { Team, TeamMember } from "@waymark/shared/principals/teams/schema.ts";
import { Link } from "wouter";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { lazyDialog } from "../../lib/lazy-dialog.tsx";
import { ResponsiveTable } from "../../lib/responsive-table.tsx";
import { Time } from "../../lib/time.tsx";
import { useMay } from "../../lib/use-session.ts";
import { useUrlDialog } from "../../lib/use-url-state.ts";
import { useTeamMembers } from "../use-teams.ts";

const load = () => import("./team-dialogs.tsx");
const AddMemberDialog = lazyDialog(async () => (await load()).AddMemberDialog);
const RemoveMemberDialog = lazyDialog(async () => (await load()).RemoveMemberDialog);

/** The members of a team. Adding one needs the list of people besides `teams:manage`. */
export function MembersSection({ team }: { team: Team }) {
  const members = useTeamMembers(team.id);
  const mayManage = useMay("teams:manage");
  const mayReadPeople = useMay("principals:read");
  const adding = useUrlDialog("add");
  const removing = useUrlDialog("remove");
  const removed = members.data?.find(({ principalId }) => principalId === removing.value);
  return (
    <section aria-labelledby="members">
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2} size="h3" id="members">
            Members
          </Title>
          {mayManage && mayReadPeople && (
            <Button size="xs" variant="default" onClick={() => adding.open("1")}>
              Add a member
            </Button>
          )}
        </Group>
        {members.isPending && <Skeleton height={120} aria-label="Loading the members" />}
        {members.isLoadingError && (
          <ErrorAlert error={members.error} onRetry={() => void members.refetch()} />
        )}
        {members.data?.length === 0 && <Text role="status">No members yet.</Text>}
        {members.data !== undefined && members.data.length > 0 && (
          <ResponsiveTable>
            <thead>
              <tr>
                <th>Name</th>
                <th>Since</th>
                <th>
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {members.data.map((member) => (
                <MemberRow
                  key={member.principalId}
                  member={member}
                  mayManage={mayManage}
                  mayReadPeople={mayReadPeople}
                  onRemove={() => removing.open(member.principalId)}
                />
              ))}
            </tbody>
          </ResponsiveTable>
        )}
      </Stack>
      {adding.value !== "" && mayManage && mayReadPeople && (
        <AddMemberDialog team={team} members={members.data ?? []} onClose={adding.close} />
      )}
      {removed !== undefined && mayManage && (
        <RemoveMemberDialog team={team} member={removed} onClose={removing.close} />
      )}
    </section>
  );
}

function MemberRow(props: {
  member: TeamMember;
  mayManage: boolean;
  mayReadPeople: boolean;
  onRemove: () => void;
}) {
  const { member, mayManage, mayReadPeople, onRemove } = props;
  const { principalId, displayName, email, disabledAt, source, createdAt } = member;
  return (
    <tr>
      <td className="breaks">
        {mayReadPeople ? (
          <Anchor component={Link} href={`/people/${principalId}`} fw={600}>
            {displayName}
          </Anchor>
        ) : (
          displayName
        )}{" "}
        {disabledAt !== null && <Badge color="grape.9">disabled</Badge>}
        {email !== null && (
          <Text size="sm" c="dimmed">
            {email}
          </Text>
        )}
      </td>
      <td data-label="Since">
        <Time at={createdAt} day />
        {source === "provider" && ", by the identity provider"}
      </td>
      <td className="right">
        {mayManage && (
          <Button size="xs" variant="default" onClick={onRemove} aria-label={`Remove ${displayName}`}>
            Remove…
          </Button>
        )}
      </td>
    </tr>
  );
}
