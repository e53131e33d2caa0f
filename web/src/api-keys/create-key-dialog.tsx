import { Button, Group, Modal, Radio, Select, Stack, TextInput } from "@mantine/core";
import { API_KEY_LIMITS, type CreatedApiKeyResult } from "@waymark/shared/api-keys/schema.ts";
import { type FormEvent, useState } from "react";
import { offeredBy } from "../lib/permission-choice/offered.ts";
import { PermissionFields } from "../lib/permission-choice/permission-fields.tsx";
import { firstPermissions } from "../lib/permission-choice/presets.ts";
import { ServiceNamesInput } from "../lib/service-names-input.tsx";
import { RequestError } from "../lib/request-error.tsx";
import { useCloseWhenIdle } from "../lib/use-close-when-idle.ts";
import { useReturnFocus } from "../lib/use-return-focus.ts";
import { useSession } from "../lib/use-session.ts";
import { KEYS } from "./api-queries.ts";
import { keyRequest, ownServiceNames } from "./key-request.ts";
import { describeExpiry, lifetimeChoices } from "./lifetimes.ts";
import { useCreateKey, useLifetimeDaysMax } from "./use-api-keys.ts";

/** @param props.preset the id of the preset that is selected first */
export function CreateKeyDialog(props: {
  preset: string;
  onCreated: (created: CreatedApiKeyResult) => void;
  onClose: () => void;
}) {
  useReturnFocus();
  const onClose = useCloseWhenIdle(KEYS, props.onClose);
  return (
    <Modal opened onClose={onClose} title="Create a key" size="lg" closeOnClickOutside={false}>
      <CreateKeyForm preset={props.preset} onCreated={props.onCreated} onCancel={onClose} />
    </Modal>
  );
}

function CreateKeyForm(props: {
  preset: string;
  onCreated: (created: CreatedApiKeyResult) => void;
  onCancel: () => void;
}) {
  const { preset, onCreated, onCancel } = props;
  const create = useCreateKey();
  const { data: session } = useSession();
  const offered = offeredBy(session);
  const [name, setName] = useState("");
  const [owner, setOwner] = useState<"service_account" | "user">("service_account");
  const lifetimes = lifetimeChoices(useLifetimeDaysMax() ?? null);
  const [chosenLifetime, setLifetime] = useState("90");
  const lifetime = (lifetimes.find(({ value }) => value === chosenLifetime) ?? lifetimes.at(-1))?.value;
  const [services, setServices] = useState(() => ownServiceNames(session));
  const [permissions, setPermissions] = useState(() => firstPermissions(offered, preset));
  const [networks, setNetworks] = useState("");

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const request = keyRequest({ name, owner, lifetime, services, networks, permissions }, Date.now());
    create.mutate(request, { onSuccess: onCreated });
  };

  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="What uses this key, for example: orders pipeline"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={API_KEY_LIMITS.nameMax}
          required
          data-autofocus
        />
        <Radio.Group
          label="Owner"
          value={owner}
          onChange={(value) => setOwner(value === "user" ? "user" : "service_account")}
        >
          <Group mt="xs">
            <Radio value="service_account" label="A service account" />
            <Radio value="user" label="A person" />
          </Group>
        </Radio.Group>
        <PermissionFields offered={offered} value={permissions} onChange={setPermissions} />
        <ServiceNamesInput value={services} onChange={setServices} />
        <TextInput
          label="Only from these networks"
          description="Addresses or networks (203.0.113.0/24), comma-separated. Leave empty for any network."
          value={networks}
          onChange={(event) => setNetworks(event.currentTarget.value)}
        />
        <Select
          label="Expires after"
          description={describeExpiry(lifetime, Date.now())}
          data={lifetimes}
          value={lifetime ?? null}
          onChange={(value) => setLifetime(value ?? "90")}
          allowDeselect={false}
          maw={200}
        />
        {create.error !== null && <RequestError title="Couldn't create key" error={create.error} />}
        <Group>
          <Button type="submit" loading={create.isPending} disabled={name === "" || permissions.length === 0}>
            Create key
          </Button>
          <Button variant="default" onClick={onCancel} disabled={create.isPending}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
