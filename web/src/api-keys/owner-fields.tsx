import { Group, Radio, Select } from "@mantine/core";
import { usePrincipals } from "../lib/use-principals.ts";
import { useMay } from "../lib/use-session.ts";
import { withChosen } from "../lib/with-chosen.ts";

/** The owner of a new key: a person, a service account of the organization, or another program. */
export interface KeyOwner {
  type: "service_account" | "user";
  id: string | undefined;
}

/** Chooses the owner of a key. A person's own key is made by the person. */
export function OwnerFields({ value, onChange }: { value: KeyOwner; onChange: (owner: KeyOwner) => void }) {
  const { data: principals = [] } = usePrincipals({ enabled: useMay("principals:read") });
  const active = principals
    .filter(({ type, disabledAt }) => type === "service_account" && disabledAt === null)
    .map(({ id, displayName }) => ({ value: id, label: displayName }));
  const accounts = withChosen(active, value.id ?? "");
  return (
    <>
      <Radio.Group
        label="Owner"
        value={value.type}
        onChange={(type) => onChange({ type: type === "user" ? "user" : "service_account", id: undefined })}
      >
        <Group mt="xs">
          <Radio value="service_account" label="A service account" />
          <Radio value="user" label="A person" />
        </Group>
      </Radio.Group>
      {value.type === "service_account" && accounts.length > 0 && (
        <Select
          label="Service account"
          description="Disabling it ends the use of the key. Leave empty for a program that is none of these."
          data={accounts}
          value={value.id ?? null}
          onChange={(id) => onChange({ type: "service_account", id: id ?? undefined })}
          clearable
          clearButtonProps={{ "aria-label": "Choose no service account" }}
          searchable={accounts.length > 10}
        />
      )}
    </>
  );
}
