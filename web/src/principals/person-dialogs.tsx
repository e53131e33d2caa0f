import { Text, TextInput } from "@mantine/core";
import { type Principal, PRINCIPAL_LIMITS } from "@waymark/shared/principals/schema.ts";
import { useState } from "react";
import { ConfirmDialog } from "../lib/confirm-dialog.tsx";
import { FormDialog } from "../lib/form-dialog.tsx";
import { useRenamePrincipal, useSetPrincipalDisabled } from "./use-people.ts";

interface Props {
  principal: Principal;
  onClose: () => void;
}

export function RenameDialog({ principal, onClose }: Props) {
  const rename = useRenamePrincipal(principal.id);
  const [name, setName] = useState(principal.displayName);
  return (
    <FormDialog
      title={<span className="breaks">Rename {principal.displayName}</span>}
      submitLabel="Rename"
      request={rename}
      failureTitle="The name was not changed"
      isDisabled={name.trim() === ""}
      onSubmit={() => rename.mutate(name.trim(), { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="Everything that was done is shown with the new name."
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={PRINCIPAL_LIMITS.displayNameMax}
        autoComplete="off"
        required
        withAsterisk={false}
        data-autofocus
      />
    </FormDialog>
  );
}

/** Asks before a principal is disabled or enabled, and says what happens. */
export function ChangeStateDialog({ principal, isOwn, onClose }: Props & { isOwn: boolean }) {
  const change = useSetPrincipalDisabled(principal.id);
  const { displayName, disabledAt } = principal;
  const disabling = disabledAt === null;
  return (
    <ConfirmDialog
      title={`${disabling ? "Disable" : "Enable"} ${displayName}?`}
      action={disabling ? "Disable" : "Enable"}
      pending={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate(disabling, { onSuccess: onClose })}
      onClose={onClose}
    >
      {disabling ? (
        <>
          <Text>
            From the next request on, every request with a key of {displayName} is refused, and sessions end.
            Enabling makes the keys that haven't ended usable again.
          </Text>
          <Text mt="xs">
            Schedules and trust policies that these keys have set go on. Keys that they created for others
            stay.
            {isOwn && " You are signed in as this user, so you will be signed out."}
          </Text>
        </>
      ) : (
        `The keys of ${displayName} that haven't ended are usable again, with what the roles allow.`
      )}
    </ConfirmDialog>
  );
}
