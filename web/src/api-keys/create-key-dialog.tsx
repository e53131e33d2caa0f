import { Button, Group, Modal, Select, Stack, TextInput } from "@mantine/core";
import {
  API_KEY_LIMITS,
  type ApiKeyScope,
  type CreatedApiKeyResult,
} from "@waymark/shared/api-keys/schema.ts";
import { type FormEvent, useState } from "react";
import { offeredBy } from "../lib/permission-choice/offered.ts";
import { PermissionFields } from "../lib/permission-choice/permission-fields.tsx";
import { firstPermissions, OWN_PRESETS, PRESETS } from "../lib/permission-choice/presets.ts";
import { ServiceNamesInput } from "../lib/service-names-input.tsx";
import { RequestError } from "../lib/request-error.tsx";
import { useCloseWhenIdle } from "../lib/use-close-when-idle.ts";
import { useReturnFocus } from "../lib/use-return-focus.ts";
import { useSession } from "../lib/use-session.ts";
import { KEYS } from "./api-queries.ts";
import { keyRequest, offeredForOwnKey, ownServiceNames } from "./key-request.ts";
import { type KeyOwner, OwnerFields } from "./owner-fields.tsx";
import { describeExpiry, lifetimeChoices } from "./lifetimes.ts";
import { useCreateKey, useLifetimeDaysMax } from "./use-api-keys.ts";

interface Props {
  /** The id of the preset that is selected first. */
  preset: string;
  /** The service account that is selected first. */
  forAccount?: string;
  /** The signed-in user, for a key of their own: the default is a key of the organization. */
  own?: OwnKeyTerms;
  onCreated: (created: CreatedApiKeyResult) => void;
}

/** Limits of a user's own keys: the scopes of the key that makes them. The roles limit each request besides. */
export interface OwnKeyTerms {
  userId: string;
  scopes: readonly ApiKeyScope[];
}

export function CreateKeyDialog({ onClose, ...props }: Props & { onClose: () => void }) {
  useReturnFocus();
  const close = useCloseWhenIdle(KEYS, onClose);
  return (
    <Modal opened onClose={close} title="Create a key" size="lg" closeOnClickOutside={false}>
      <CreateKeyForm {...props} onCancel={close} />
    </Modal>
  );
}

// oxlint-disable-next-line max-lines-per-function -- a form with a line for each field
function CreateKeyForm({ preset, forAccount, own, onCreated, onCancel }: Props & { onCancel: () => void }) {
  const create = useCreateKey();
  const { data: session } = useSession();
  const offered = own === undefined ? offeredBy(session) : offeredForOwnKey(session, own.scopes);
  const presets = own === undefined ? PRESETS : OWN_PRESETS;
  const [name, setName] = useState("");
  const [owner, setOwner] = useState<KeyOwner>({ type: "service_account", id: forAccount });
  const lifetimes = lifetimeChoices(useLifetimeDaysMax() ?? null);
  const [chosenLifetime, setLifetime] = useState("90");
  const lifetime = (lifetimes.find(({ value }) => value === chosenLifetime) ?? lifetimes.at(-1))?.value;
  const [services, setServices] = useState(() => ownServiceNames(own ?? session));
  const [permissions, setPermissions] = useState(() => firstPermissions(offered, preset, presets));
  const [networks, setNetworks] = useState("");

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const request = keyRequest(
      {
        name,
        owner: own === undefined ? owner.type : "user",
        ownerId: own?.userId ?? owner.id,
        lifetime,
        services,
        networks,
        permissions,
      },
      Date.now(),
    );
    create.mutate(request, { onSuccess: onCreated });
  };

  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description={
            own === undefined
              ? "What uses this key, for example: orders pipeline"
              : "Where you use this key, for example: my laptop"
          }
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={API_KEY_LIMITS.nameMax}
          required
          data-autofocus
        />
        {own === undefined && <OwnerFields value={owner} onChange={setOwner} />}
        <PermissionFields offered={offered} presets={presets} value={permissions} onChange={setPermissions} />
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
