import { Button, Group, Stack, Text, Title } from "@mantine/core";
import type { GrantRoleRequest, RoleGrant } from "@waymark/shared/principals/roles/schema.ts";
import { lazyDialog } from "../lib/lazy-dialog.tsx";
import { ResponsiveTable } from "../lib/responsive-table.tsx";
import { Time } from "../lib/time.tsx";
import { useMay } from "../lib/use-session.ts";
import { useUrlDialog } from "../lib/use-url-state.ts";
import { describeLimits } from "./describe-role.ts";
import type { RoleChange } from "./use-people.ts";

const load = () => import("./role-grant-dialogs.tsx");
const GrantRoleDialog = lazyDialog(async () => (await load()).GrantRoleDialog);
const TakeRoleDialog = lazyDialog(async () => (await load()).TakeRoleDialog);

/** The roles of a user or a team. */
export function RoleGrantsSection(props: {
  name: string;
  roleGrants: readonly RoleGrant[];
  grant: RoleChange<GrantRoleRequest>;
  take: RoleChange<string>;
  /** The text for the case that there are none. */
  none: string;
}) {
  const { name, roleGrants, grant, take, none } = props;
  const mayManage = useMay("principals:manage");
  const granting = useUrlDialog("grant");
  const taking = useUrlDialog("take");
  const taken = roleGrants.find(({ id }) => id === taking.value);
  return (
    <section aria-labelledby="roles">
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2} size="h3" id="roles">
            Roles
          </Title>
          {mayManage && (
            <Button size="xs" variant="default" onClick={() => granting.open("1")}>
              Grant a role
            </Button>
          )}
        </Group>
        {roleGrants.length === 0 ? (
          <Text role="status">{none}</Text>
        ) : (
          <ResponsiveTable>
            <thead>
              <tr>
                <th>Role</th>
                <th>For</th>
                <th>Granted</th>
                <th>
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {roleGrants.map((one) => (
                <GrantRow key={one.id} grant={one} mayManage={mayManage} onTake={() => taking.open(one.id)} />
              ))}
            </tbody>
          </ResponsiveTable>
        )}
      </Stack>
      {granting.value !== "" && mayManage && (
        <GrantRoleDialog name={name} request={grant} onClose={granting.close} />
      )}
      {taken !== undefined && mayManage && (
        <TakeRoleDialog name={name} taken={taken} request={take} onClose={taking.close} />
      )}
    </section>
  );
}

function GrantRow(props: { grant: RoleGrant; mayManage: boolean; onTake: () => void }) {
  const { grant, mayManage, onTake } = props;
  const { role, createdAt } = grant;
  return (
    <tr>
      <td className="breaks" style={{ fontWeight: 600 }}>
        {role}
        {grant.identityProviderId !== null && (
          <Text size="sm" c="dimmed">
            By the groups of an identity provider: taken away, it comes back with the next sign-in.
          </Text>
        )}
      </td>
      <td data-label="For" data-wide className="breaks">
        {describeLimits(grant)}
      </td>
      <td data-label="Granted">
        <Time at={createdAt} day />
      </td>
      <td className="right">
        {mayManage && (
          <Button size="xs" variant="default" onClick={onTake} aria-label={`Take away ${role}`}>
            Take away…
          </Button>
        )}
      </td>
    </tr>
  );
}
