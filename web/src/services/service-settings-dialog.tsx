import { Checkbox, Text, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { serviceNameProblem } from "@waymark/shared/lib/service-name.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { updateService } from "@waymark/shared/services/addresses.ts";
import { Service } from "@waymark/shared/services/schema.ts";
import { useState } from "react";
import { callApi } from "../lib/api.ts";
import { Select } from "../lib/select.tsx";
import { useTeams } from "../lib/use-teams.ts";
import { FormDialog } from "../lib/form-dialog.tsx";
import { useLookAlikes } from "./use-look-alikes.ts";
import { readSettings, type ServiceSettings, settingsOf, updateOf } from "./service-settings.ts";

/** Changes the names, labels, owner and links of a service, and archives or restores it. */
export function ServiceSettingsDialog({ service, onClose }: { service: Service; onClose: () => void }) {
  const [settings, setSettings] = useState(() => settingsOf(service));
  const client = useQueryClient();
  const { labels, labelsProblem } = readSettings(settings);
  const change = useMutation({
    mutationFn: () =>
      callApi(
        updateService,
        { params: { serviceId: service.id }, body: updateOf(service, settings, labels ?? {}) },
        { read: Service },
      ),
    onSuccess: async () => {
      // Lists of services, the overview and the runs show the name.
      await client.invalidateQueries();
      onClose();
    },
  });
  const nameProblem = settings.name === "" ? "must not be empty" : serviceNameProblem(settings.name);
  const field = (name: Exclude<keyof ServiceSettings, "archived" | "owner">) => ({
    value: settings[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setSettings({ ...settings, [name]: value }),
    autoComplete: "off",
    spellCheck: false,
  });
  return (
    <FormDialog
      title="Settings of the service"
      submitLabel="Save"
      request={change}
      failureTitle="Couldn't change the service"
      isDisabled={nameProblem !== undefined || labelsProblem !== undefined}
      form={{ autoComplete: "off" }}
      onSubmit={() => change.mutate()}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="The name before becomes an alias: scans under it stay scans of this service."
        error={nameProblem !== undefined && `The name ${nameProblem}.`}
        maxLength={SCAN_LIMITS.serviceNameMax}
        data-autofocus
        {...field("name")}
      />
      <LookAlikes service={service} name={settings.name} />
      <Textarea
        label="Aliases"
        description="Other names, one a line. A scan under a name that you remove creates a new service."
        autosize
        minRows={1}
        maxRows={8}
        {...field("aliases")}
      />
      <Textarea
        label="Labels"
        description="key=value, one a line, such as team=payments"
        error={labelsProblem}
        autosize
        minRows={1}
        maxRows={8}
        {...field("labels")}
      />
      <OwnerField
        service={service}
        value={settings.owner}
        onChange={(owner) => setSettings({ ...settings, owner })}
      />
      <TextInput label="Repository" placeholder="https://" type="url" {...field("repository")} />
      <TextInput label="Documentation" placeholder="https://" type="url" {...field("documentation")} />
      <TextInput label="On-call" placeholder="https://" type="url" {...field("onCall")} />
      <Checkbox
        label="Archived"
        description="Lists, searches and totals leave it out. It takes scans as before."
        checked={settings.archived}
        onChange={({ currentTarget: { checked } }) => setSettings({ ...settings, archived: checked })}
      />
    </FormDialog>
  );
}

/** Chooses the team that owns the service. */
function OwnerField(props: { service: Service; value: string; onChange: (slug: string) => void }) {
  const { service, value, onChange } = props;
  const { data } = useTeams(true);
  const owner = service.ownerTeam;
  const teams = data?.teams ?? (owner === null ? [] : [owner]);
  return (
    <Select
      label="Owner"
      placeholder="No team"
      data={teams.map(({ slug, displayName }) => ({ value: slug, label: displayName }))}
      value={value === "" ? null : value}
      onChange={(slug) => onChange(slug ?? "")}
      clearable
      searchable
      nothingFoundMessage="No such team"
      clearButtonProps={{ "aria-label": "No owner" }}
    />
  );
}

/** Warns about a name that people would take for another service's. */
function LookAlikes({ service, name }: { service: Service; name: string }) {
  const alike = useLookAlikes(service, name);
  if (alike.length === 0) return null;
  return (
    <Text size="sm" role="status" c="orange.9">
      Another service has a name that looks like this one: {alike.join(", ")}
    </Text>
  );
}
