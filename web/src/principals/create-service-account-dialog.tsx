import { TextInput } from "@mantine/core";
import { PRINCIPAL_LIMITS } from "@waymark/shared/principals/schema.ts";
import { useState } from "react";
import { useLocation } from "wouter";
import { FormDialog } from "../lib/form-dialog.tsx";
import { useCreateServiceAccount } from "./use-people.ts";

/** Creates a service account, and goes to its page. */
export function CreateServiceAccountDialog({ onClose }: { onClose: () => void }) {
  const create = useCreateServiceAccount();
  const [name, setName] = useState("");
  const [, navigate] = useLocation();
  return (
    <FormDialog
      title="Create a service account"
      submitLabel="Create service account"
      request={create}
      failureTitle="The service account was not created"
      isDisabled={name.trim() === ""}
      onSubmit={() =>
        create.mutate(name.trim(), {
          onSuccess: ({ id }) => navigate(`/people/${id}`, { replace: true }),
        })
      }
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="The program that it stands for, for example: Deployments"
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
