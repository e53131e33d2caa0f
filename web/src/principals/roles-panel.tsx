import { Badge, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import type { Role } from "@waymark/shared/principals/roles/schema.ts";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { lazyDialog } from "../lib/lazy-dialog.tsx";
import { ResponsiveTable } from "../lib/responsive-table.tsx";
import { useMay } from "../lib/use-session.ts";
import { useUrlDialog } from "../lib/use-url-state.ts";
import { describeRole } from "./describe-role.ts";
import { useDeleteRole, useRoles } from "./use-people.ts";

const ConfirmDialog = lazyDialog(async () => (await import("../lib/confirm-dialog.tsx")).ConfirmDialog);
const RoleDialog = lazyDialog(async () => (await import("./role-dialog.tsx")).RoleDialog);

/** No role has this name. */
const NEW = "+";

/** The built-in and the organization's own roles. */
export function RolesPanel() {
  const roles = useRoles();
  const mayManage = useMay("principals:manage");
  const editing = useUrlDialog("edit-role");
  const deleting = useUrlDialog("delete-role");
  if (roles.isPending) return <Skeleton height={240} aria-label="Loading the roles" />;
  if (roles.isLoadingError) return <ErrorAlert error={roles.error} onRetry={() => void roles.refetch()} />;
  const ownRole = (wanted: string) => roles.data.find(({ name, builtIn }) => !builtIn && name === wanted);
  const [edited, deleted] = [ownRole(editing.value), ownRole(deleting.value)];
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm">
          A user may do what both the roles and the key allow. A change counts from the next request on.
        </Text>
        {mayManage && (
          <Button variant="default" size="xs" onClick={() => editing.open(NEW)}>
            Create a role
          </Button>
        )}
      </Group>
      <ResponsiveTable>
        <thead>
          <tr>
            <th>Role</th>
            <th>Allows</th>
            <th>Permissions</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {roles.data.map((role) => (
            <RoleRow
              key={role.name}
              role={role}
              mayChange={mayManage && !role.builtIn}
              onEdit={() => editing.open(role.name)}
              onDelete={() => deleting.open(role.name)}
            />
          ))}
        </tbody>
      </ResponsiveTable>
      {mayManage && (editing.value === NEW || edited !== undefined) && (
        <RoleDialog key={editing.value} role={edited} roles={roles.data} onClose={editing.close} />
      )}
      {mayManage && deleted !== undefined && <DeleteDialog role={deleted} onClose={deleting.close} />}
    </Stack>
  );
}

function RoleRow(props: { role: Role; mayChange: boolean; onEdit: () => void; onDelete: () => void }) {
  const { role, mayChange, onEdit, onDelete } = props;
  const { name, permissions, builtIn } = role;
  return (
    <tr>
      <td className="breaks" style={{ fontWeight: 600 }}>
        {name} {builtIn && <Badge color="gray.7">built in</Badge>}
      </td>
      <td data-label="Allows" data-wide>
        {describeRole(role)}
      </td>
      <td data-label="Permissions" data-wide className="breaks">
        <Text size="sm" c="dimmed">
          {permissions.map((one) => (one === "*" ? "everything" : one)).join(", ")}
        </Text>
      </td>
      <td className="right">
        {mayChange && (
          <Group gap="xs" justify="flex-end" wrap="nowrap">
            <Button size="xs" variant="default" onClick={onEdit} aria-label={`Change ${name}`}>
              Change
            </Button>
            <Button size="xs" variant="default" onClick={onDelete} aria-label={`Delete ${name}`}>
              Delete…
            </Button>
          </Group>
        )}
      </td>
    </tr>
  );
}

function DeleteDialog({ role, onClose }: { role: Role; onClose: () => void }) {
  const remove = useDeleteRole();
  return (
    <ConfirmDialog
      title={`Delete the role ${role.name}?`}
      action="Delete role"
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(role.name, { onSuccess: onClose })}
      onClose={onClose}
    >
      It can be deleted only while no user and no team has it.
    </ConfirmDialog>
  );
}
