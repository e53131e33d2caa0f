import { Select, TagsInput, TextInput } from "@mantine/core";
import { TeamHandle, TeamSlug } from "@waymark/shared/principals/team-names/schema.ts";
import { TEAM_LIMITS } from "@waymark/shared/principals/teams/limits.ts";
import type { Team, TeamMember } from "@waymark/shared/principals/teams/schema.ts";
import { PRINCIPAL_LIMITS } from "@waymark/shared/principals/schema.ts";
import { useState } from "react";
import { useLocation } from "wouter";
import { ConfirmDialog } from "../../lib/confirm-dialog.tsx";
import { FormDialog } from "../../lib/form-dialog.tsx";
import { usePrincipals } from "../../lib/use-principals.ts";
import { useAddMember, useCreateTeam, useDeleteTeam, useRemoveMember, useUpdateTeam } from "../use-teams.ts";
import { slugOf } from "./slug-of.ts";

/** Creates a team and goes to its page, or changes one. @param props.team undefined for a new one */
export function TeamDialog({ team, onClose }: { team: Team | undefined; onClose: () => void }) {
  const create = useCreateTeam();
  const update = useUpdateTeam(team?.id ?? "");
  const [, navigate] = useLocation();
  const [name, setName] = useState(team?.displayName ?? "");
  const [chosenSlug, setSlug] = useState(team?.slug);
  const [handles, setHandles] = useState(team?.handles ?? []);
  const slug = chosenSlug ?? slugOf(name);
  const slugProblem = slug === "" ? undefined : TeamSlug.safeParse(slug).error?.issues[0]?.message;
  const wrongHandle = handles.find((handle) => !TeamHandle.safeParse(handle).success);
  const submit = () => {
    const names = { slug, displayName: name.trim() };
    if (team !== undefined) update.mutate({ ...names, handles }, { onSuccess: onClose });
    else create.mutate(names, { onSuccess: ({ id }) => navigate(`/teams/${id}`, { replace: true }) });
  };
  return (
    <FormDialog
      title={team === undefined ? "Create a team" : <span className="breaks">Change {team.displayName}</span>}
      submitLabel={team === undefined ? "Create team" : "Save team"}
      request={team === undefined ? create : update}
      failureTitle="The team was not saved"
      isDisabled={name.trim() === "" || slug === "" || slugProblem !== undefined || wrongHandle !== undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={PRINCIPAL_LIMITS.displayNameMax}
        autoComplete="off"
        required
        withAsterisk={false}
        data-autofocus
      />
      <TextInput
        label="Slug"
        description="The name in waymark.yaml and in filters. Files that have an earlier slug name no team."
        value={slug}
        onChange={(event) => setSlug(event.currentTarget.value)}
        error={slugProblem}
        maxLength={TEAM_LIMITS.slugMax}
        autoComplete="off"
        required
        withAsterisk={false}
      />
      {team !== undefined && (
        <TagsInput
          label="Names in CODEOWNERS"
          description="Such as @acme/payments."
          value={handles}
          onChange={setHandles}
          maxTags={TEAM_LIMITS.handlesPerTeamMax}
          error={wrongHandle !== undefined && `${wrongHandle} is no name as CODEOWNERS has it.`}
        />
      )}
    </FormDialog>
  );
}

export function DeleteTeamDialog({ team, onClose }: { team: Team; onClose: () => void }) {
  const remove = useDeleteTeam(team.id);
  const [, navigate] = useLocation();
  return (
    <ConfirmDialog
      title={`Delete the team ${team.displayName}?`}
      action="Delete team"
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(undefined, { onSuccess: () => navigate("/people?tab=teams", { replace: true }) })
      }
      onClose={onClose}
    >
      Its services have no owner then. Every role that it has, or that is for its services, ends.
    </ConfirmDialog>
  );
}

/** Adds a user to a team. @param props.members the users who are in it already */
export function AddMemberDialog(props: { team: Team; members: readonly TeamMember[]; onClose: () => void }) {
  const { team, members, onClose } = props;
  const add = useAddMember(team.id);
  const { data: principals = [] } = usePrincipals();
  const [chosen, setChosen] = useState<string | null>(null);
  const known = new Set(members.map(({ principalId }) => principalId));
  const choices = principals
    .filter(({ id, type }) => type === "user" && !known.has(id))
    .map(({ id, displayName, email }) => ({ value: id, label: `${displayName} (${email ?? ""})` }));
  return (
    <FormDialog
      title={<span className="breaks">Add a member to {team.displayName}</span>}
      submitLabel="Add member"
      request={add}
      failureTitle="The member was not added"
      isDisabled={chosen === null}
      onSubmit={() => chosen !== null && add.mutate(chosen, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Select
        label="Person"
        description="Members have the roles of the team from the next request on."
        data={choices}
        value={chosen}
        onChange={setChosen}
        searchable
        limit={50}
        nothingFoundMessage="Nobody has this name."
        data-autofocus
      />
    </FormDialog>
  );
}

export function RemoveMemberDialog(props: { team: Team; member: TeamMember; onClose: () => void }) {
  const { team, member, onClose } = props;
  const remove = useRemoveMember(team.id);
  return (
    <ConfirmDialog
      title={`Remove ${member.displayName} from ${team.displayName}?`}
      action="Remove"
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(member.principalId, { onSuccess: onClose })}
      onClose={onClose}
    >
      The roles of the team end for {member.displayName} with the next request.
      {member.source === "provider" && " The identity provider may add the person again."}
    </ConfirmDialog>
  );
}
