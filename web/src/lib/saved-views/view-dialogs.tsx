import { Button, Checkbox, Text, TextInput } from "@mantine/core";
import { SAVED_VIEW_LIMITS } from "@waymark/shared/saved-views/limits.ts";
import { type SavedView, SavedViewName, type SavedViewPage } from "@waymark/shared/saved-views/schema.ts";
import { useState } from "react";
import { FormDialog } from "../form-dialog.tsx";
import { Select } from "../select.tsx";
import { useTeams } from "../use-teams.ts";
import { useRemoveView, useSaveView, useUpdateView } from "./use-saved-views.ts";
import { isSameQuery } from "./view-address.ts";

/** Saves the filters of a page under a name, for the person or for a team. */
export function SaveViewDialog(props: { page: SavedViewPage; query: string; onClose: () => void }) {
  const { page, query, onClose } = props;
  const save = useSaveView();
  const { data } = useTeams(true);
  const teams = (data?.teams ?? []).flatMap(({ id, displayName, isMember }) =>
    isMember ? [{ value: id, label: displayName }] : [],
  );
  const [name, setName] = useState("");
  const [teamId, setTeam] = useState<string | null>(null);
  return (
    <FormDialog
      title="Save these filters"
      submitLabel="Save view"
      request={save}
      failureTitle="The view was not saved"
      isDisabled={!isName(name)}
      onSubmit={() =>
        save.mutate(
          { name: name.trim(), page, query, ...(teamId !== null && { teamId }) },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <Name value={name} onChange={setName} />
      {teams.length > 0 && (
        <>
          <Select
            label="For"
            placeholder="Only me"
            data={teams}
            value={teamId}
            onChange={setTeam}
            clearable
          />
          <Text size="sm" c="dimmed">
            Members of a team can open, change and remove its views.
          </Text>
        </>
      )}
      {query === "" && <Text size="sm">No filter is set: the view opens the page without filters.</Text>}
    </FormDialog>
  );
}

/** Renames a view, replaces its filters with those of the page as it is, or removes it. */
export function ChangeViewDialog(props: { view: SavedView; query: string; onClose: () => void }) {
  const { view, query, onClose } = props;
  const update = useUpdateView(view);
  const remove = useRemoveView(view);
  const [name, setName] = useState(view.name);
  const [replaces, setReplaces] = useState(false);
  const isSame = isSameQuery(view.query, query);
  const request = remove.error === null ? update : remove;
  return (
    <FormDialog
      title={<span className="breaks">Change {view.name}</span>}
      submitLabel="Save"
      request={request}
      failureTitle="The view was not changed"
      isDisabled={!isName(name) || (name === view.name && !replaces)}
      onSubmit={() =>
        update.mutate({ name: name.trim(), ...(replaces && { query }) }, { onSuccess: onClose })
      }
      onClose={onClose}
    >
      <Name value={name} onChange={setName} />
      <Checkbox
        label="Replace its filters with those that are set now"
        description={isSame ? "These are its filters." : undefined}
        checked={replaces}
        disabled={isSame}
        onChange={(event) => setReplaces(event.currentTarget.checked)}
      />
      {view.team !== null && (
        <Text size="sm" className="breaks">
          Members of {view.team.displayName} have this view, too.
        </Text>
      )}
      <Button
        variant="default"
        w="fit-content"
        loading={remove.isPending}
        onClick={() => remove.mutate(undefined, { onSuccess: onClose })}
      >
        Remove view
      </Button>
    </FormDialog>
  );
}

function Name({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <TextInput
      label="Name"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      maxLength={SAVED_VIEW_LIMITS.nameMax}
      autoComplete="off"
      required
      withAsterisk={false}
      data-autofocus
    />
  );
}

const isName = (name: string) => SavedViewName.safeParse(name.trim()).success;
