import { PasswordInput, TagsInput, TextInput } from "@mantine/core";
import type { EnvironmentSecret } from "@waymark/shared/environments/secrets/schema.ts";
import { useState } from "react";
import { FormDialog } from "../lib/form-dialog.tsx";
import { useSetSecret } from "./use-environments.ts";

/** Sets a secret. Its value goes to the server and nowhere else, and the form forgets it. @param props.secret null for a new one */
export function SecretDialog(props: {
  environmentId: string;
  secret: EnvironmentSecret | null;
  /** The name of a new secret; empty if it is not known yet. */
  newName: string;
  onClose: () => void;
}) {
  const { environmentId, secret, newName, onClose } = props;
  const set = useSetSecret(environmentId);
  const [name, setName] = useState(secret?.name ?? newName);
  const [value, setValue] = useState("");
  const [hosts, setHosts] = useState(secret?.hosts ?? []);
  const submit = () => {
    set.mutate({ name, value, ...(hosts.length === 0 ? {} : { hosts }) }, { onSuccess: onClose });
    setValue("");
  };
  return (
    <FormDialog
      title={secret === null ? "Set a secret" : <span className="breaks">Replace {secret.name}</span>}
      submitLabel="Set the secret"
      request={set}
      failureTitle="The secret was not set"
      isDisabled={name === "" || value === ""}
      form={{ autoComplete: "off" }}
      onSubmit={submit}
      onClose={onClose}
    >
      {secret === null && (
        <TextInput
          label="Name"
          description="A journey names it as env:NAME. A name that exists gets a new value."
          placeholder="PAYMENTS_TOKEN"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          required
          data-autofocus={newName === "" || undefined}
        />
      )}
      <PasswordInput
        label="Value"
        description="8 characters or more. Nobody can read it again, and results mask it."
        value={value}
        onChange={(event) => setValue(event.currentTarget.value)}
        autoComplete="off"
        visibilityToggleButtonProps={{ "aria-label": "Show or hide the value" }}
        required
        data-autofocus={secret !== null || newName !== "" || undefined}
      />
      <TagsInput
        label="Sent only to"
        description="Hosts such as *.payments.example.com. Leave empty for the hosts of the environment's servers."
        value={hosts}
        onChange={setHosts}
        clearable
        clearButtonProps={{ "aria-label": "Send to the hosts of the servers" }}
      />
    </FormDialog>
  );
}
