import { Alert, Button, Checkbox, Group, Modal, Radio, Select, Stack, TextInput } from "@mantine/core";
import { API_KEY_LIMITS, PERMISSIONS } from "@waymark/shared/api-keys/schema.ts";
import { type FormEvent, useState } from "react";
import { ApiError } from "../lib/api.ts";
import { carries, useSession } from "../lib/use-session.ts";
import { NewKey } from "./new-key.tsx";
import { useCreateKey } from "./use-api-keys.ts";

const SCAN_PERMISSIONS = ["scans:create", "services:create", "services:update", "endpoints:write"];
const DAY_MS = 24 * 3600 * 1000;
const LIFETIMES = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "never", label: "Never" },
];

export function CreateKeyDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const create = useCreateKey();
  const close = () => {
    create.reset();
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={create.isSuccess ? "The new key" : "Create a key"}
      size="lg"
      closeOnClickOutside={false}
    >
      {create.isSuccess ? (
        <NewKey created={create.data} onDone={close} />
      ) : (
        <CreateKeyForm create={create} onCancel={close} />
      )}
    </Modal>
  );
}

function CreateKeyForm({
  create,
  onCancel,
}: {
  create: ReturnType<typeof useCreateKey>;
  onCancel: () => void;
}) {
  const { data: session } = useSession();
  // What the signed-in key carries is all that it may hand out.
  const offered = PERMISSIONS.filter((permission) => session && carries(session, permission));
  const [name, setName] = useState("");
  const [owner, setOwner] = useState<"service_account" | "user">("service_account");
  const [lifetime, setLifetime] = useState("90");
  const [services, setServices] = useState("");
  const [permissions, setPermissions] = useState(
    SCAN_PERMISSIONS.filter((one) => offered.some((o) => o === one)),
  );
  const serviceNames = services
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");

  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({
      name,
      ownerPrincipalType: owner,
      expiresAt: lifetime === "never" ? null : new Date(Date.now() + Number(lifetime) * DAY_MS).toISOString(),
      scopes: permissions.map((permission) =>
        serviceNames.length === 0 ? permission : { permission, resourceConstraints: { serviceNames } },
      ),
    });
  };

  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="What will use it, such as: orders pipeline"
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
        <Checkbox.Group
          label="Permissions"
          description="A key can hand out only what it may do itself."
          value={permissions}
          onChange={setPermissions}
        >
          <Group mt="xs" gap="sm">
            {offered.map((permission) => (
              <Checkbox key={permission} value={permission} label={permission} />
            ))}
          </Group>
        </Checkbox.Group>
        <TextInput
          label="Only for these services"
          description="Names, or starts of names such as payments-*, separated by commas. Empty: all."
          value={services}
          onChange={(event) => setServices(event.currentTarget.value)}
        />
        <Select
          label="Expires after"
          data={LIFETIMES}
          value={lifetime}
          onChange={(value) => setLifetime(value ?? "90")}
          allowDeselect={false}
          maw={200}
        />
        {create.isError && (
          <Alert color="red" role="alert" title="The key was not created">
            {create.error.message}
            {create.error instanceof ApiError &&
              create.error.details.map((detail) => (
                <div key={detail.path}>
                  {detail.path}: {detail.message}
                </div>
              ))}
          </Alert>
        )}
        <Group>
          <Button type="submit" loading={create.isPending} disabled={name === "" || permissions.length === 0}>
            Create the key
          </Button>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
