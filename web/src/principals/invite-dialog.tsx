import { Button, Fieldset, Text, TextInput } from "@mantine/core";
import {
  type CreatedInvitation,
  EmailAddress,
  type Invitation,
  INVITATION_LIMITS,
} from "@waymark/shared/principals/invitations/schema.ts";
import { ROLE_LIMITS } from "@waymark/shared/principals/roles/schema.ts";
import { useState } from "react";
import { FormDialog } from "../lib/form-dialog.tsx";
import { choiceOf, FIRST_CHOICE, grantOf, problemOf, type RoleChoice, RoleFields } from "./role-fields.tsx";
import { useInvite } from "./use-people.ts";

/** Invites a person. @param props.again the open invitation that the new one replaces */
export function InviteDialog(props: {
  again: Invitation | undefined;
  onInvited: (invitation: CreatedInvitation) => void;
  onClose: () => void;
}) {
  const { again, onInvited, onClose } = props;
  const invite = useInvite();
  const [email, setEmail] = useState(again?.email ?? "");
  const [roles, setRoles] = useState<readonly RoleChoice[]>(again?.roles.map(choiceOf) ?? [FIRST_CHOICE]);
  const [isAsked, setAsked] = useState(false);
  const problem = isAsked && !EmailAddress.safeParse(email.trim()).success;
  const submit = () => {
    setAsked(true);
    if (!EmailAddress.safeParse(email.trim()).success) return;
    invite.mutate({ email: email.trim(), roles: roles.map(grantOf) }, { onSuccess: onInvited });
  };
  return (
    <FormDialog
      title="Invite a person"
      size="lg"
      submitLabel="Create the link"
      request={invite}
      failureTitle="The person was not invited"
      isDisabled={email.trim() === "" || roles.some((role) => problemOf(role) !== undefined)}
      form={{ noValidate: true, autoComplete: "off" }}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="E-mail"
        description={`Waymark sends no mail: you get a link for the person, which works once and for ${INVITATION_LIMITS.daysMax} days.`}
        type="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={problem && "Enter an e-mail address, such as ada@example.com."}
        autoComplete="off"
        required
        withAsterisk={false}
        data-autofocus
      />
      {again !== undefined && (
        <Text size="sm">The link of the earlier invitation for this address stops working.</Text>
      )}
      {roles.map((value, index) => (
        <Fieldset key={index} legend={roles.length === 1 ? "What the person may do" : `Role ${index + 1}`}>
          <RoleFields
            value={value}
            onChange={(next) => setRoles(roles.map((one, at) => (at === index ? next : one)))}
          />
          {roles.length > 1 && (
            <Button
              size="xs"
              variant="default"
              mt="xs"
              aria-label={`Remove role ${index + 1}`}
              onClick={() => setRoles(roles.filter((_, at) => at !== index))}
            >
              Remove
            </Button>
          )}
        </Fieldset>
      ))}
      {roles.length < ROLE_LIMITS.grantsPerUserMax && (
        <Button
          size="xs"
          variant="default"
          w="fit-content"
          onClick={() => setRoles([...roles, FIRST_CHOICE])}
        >
          Add another role
        </Button>
      )}
    </FormDialog>
  );
}
