import { TextInput } from "@mantine/core";
import { type Role, ROLE_LIMITS, RoleName } from "@waymark/shared/principals/roles/schema.ts";
import { useState } from "react";
import { FormDialog } from "../lib/form-dialog.tsx";
import { offeredBy } from "../lib/permission-choice/offered.ts";
import { PermissionFields } from "../lib/permission-choice/permission-fields.tsx";
import { useSession } from "../lib/use-session.ts";
import { describeRole } from "./describe-role.ts";
import { useSetRole } from "./use-people.ts";

/** Creates an own role, or changes its permissions. @param props.role undefined for a new one */
export function RoleDialog(props: { role: Role | undefined; roles: readonly Role[]; onClose: () => void }) {
  const { role, roles, onClose } = props;
  const set = useSetRole();
  const { data: session } = useSession();
  const [name, setName] = useState(role?.name ?? "");
  const [permissions, setPermissions] = useState<string[]>([...(role?.permissions ?? [])]);
  // Permissions that the role has stay in view, also those that the signed-in key can't give.
  const offered = [...new Set([...offeredBy(session), ...(role?.permissions ?? [])])];
  const presets = roles
    .filter(({ builtIn }) => builtIn)
    .map((one) => ({
      id: one.name,
      label: one.name,
      description: describeRole(one),
      permissions: one.permissions,
    }));
  const problem = role === undefined && name !== "" ? problemOf(name, roles) : undefined;
  return (
    <FormDialog
      title={role === undefined ? "Create a role" : <span className="breaks">Change {role.name}</span>}
      size="lg"
      submitLabel={role === undefined ? "Create role" : "Save role"}
      request={set}
      failureTitle="The role was not saved"
      isDisabled={name === "" || problem !== undefined || permissions.length === 0}
      onSubmit={() => set.mutate({ name, permissions }, { onSuccess: onClose })}
      onClose={onClose}
    >
      {role === undefined && (
        <TextInput
          label="Name"
          description="Lower-case letters, digits and hyphens, for example: release-manager"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problem}
          maxLength={ROLE_LIMITS.nameMax}
          autoComplete="off"
          required
          withAsterisk={false}
          data-autofocus
        />
      )}
      <PermissionFields
        offered={offered}
        presets={presets}
        presetsLabel="Begin with"
        value={permissions}
        onChange={setPermissions}
      />
    </FormDialog>
  );
}

/** Saving a role that exists would replace it. */
function problemOf(name: string, roles: readonly Role[]): string | undefined {
  if (roles.some((role) => role.name === name)) return "A role has this name.";
  return RoleName.safeParse(name).success
    ? undefined
    : "Use lower-case letters, digits and hyphens, and begin with a letter.";
}
