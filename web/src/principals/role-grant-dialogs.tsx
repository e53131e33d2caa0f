import type { GrantRoleRequest, RoleGrant } from "@waymark/shared/principals/roles/schema.ts";
import { useState } from "react";
import { ConfirmDialog } from "../lib/confirm-dialog.tsx";
import { FormDialog } from "../lib/form-dialog.tsx";
import { describeGrant } from "./describe-role.ts";
import { FIRST_CHOICE, grantOf, problemOf, RoleFields } from "./role-fields.tsx";
import type { RoleChange } from "./use-people.ts";

/** Grants a role to a user or a team. */
export function GrantRoleDialog(props: {
  name: string;
  request: RoleChange<GrantRoleRequest>;
  onClose: () => void;
}) {
  const { name, request, onClose } = props;
  const [value, setValue] = useState(FIRST_CHOICE);
  return (
    <FormDialog
      title={<span className="breaks">Grant {name} a role</span>}
      submitLabel="Grant role"
      request={request}
      failureTitle="The role was not granted"
      isDisabled={problemOf(value) !== undefined}
      onSubmit={() => request.mutate(grantOf(value), { onSuccess: onClose })}
      onClose={() => {
        request.reset();
        onClose();
      }}
    >
      <RoleFields value={value} onChange={setValue} />
    </FormDialog>
  );
}

/** Asks before a role of a user or a team is taken away. */
export function TakeRoleDialog(props: {
  name: string;
  taken: RoleGrant;
  request: RoleChange<string>;
  onClose: () => void;
}) {
  const { name, taken, request, onClose } = props;
  return (
    <ConfirmDialog
      title={`Take a role from ${name}?`}
      action="Take away"
      pending={request.isPending}
      error={request.error}
      onConfirm={() => request.mutate(taken.id, { onSuccess: onClose })}
      onClose={() => {
        request.reset();
        onClose();
      }}
    >
      What only the role {describeGrant(taken)} allows is refused from the next request on, for all keys and
      sessions of {name}.
    </ConfirmDialog>
  );
}
