import { Button, Group, Skeleton, Stack, Tabs, Text, Title } from "@mantine/core";
import type { CreatedInvitation } from "@waymark/shared/principals/invitations/schema.ts";
import { Suspense, useState } from "react";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { LacksPermission } from "../lib/lacks-permission.tsx";
import { lazyDialog } from "../lib/lazy-dialog.tsx";
import { lazyPart } from "../lib/lazy-part.tsx";
import { usePrincipals } from "../lib/use-principals.ts";
import { useMay } from "../lib/use-session.ts";
import { useUrlDialog, useUrlTab } from "../lib/use-url-state.ts";
import { InvitationsPanel } from "./invitations-panel.tsx";
import { PeoplePanel } from "./people-panel.tsx";
import { RolesPanel } from "./roles-panel.tsx";
import { TeamsPanel } from "./teams/teams-panel.tsx";
import { useInvitations } from "./use-people.ts";

const load = () => import("./people-dialogs.tsx");
const InviteDialog = lazyDialog(async () => (await load()).InviteDialog);
const NewInvitationDialog = lazyDialog(async () => (await load()).NewInvitationDialog);
const CreateServiceAccountDialog = lazyDialog(async () => (await load()).CreateServiceAccountDialog);

const ProvidersPanel = lazyPart(
  "The identity providers",
  async () => (await import("./identity-providers/providers-panel.tsx")).ProvidersPanel,
);

const TABS = ["people", "teams", "service-accounts", "roles", "invitations", "sign-in"] as const;

/** The dialog for an invitation of somebody who has none. */
const NEW = "new";

/** The page of the users, service accounts, roles and invitations. */
export default function PeoplePage() {
  const principals = usePrincipals();
  const invitations = useInvitations();
  const mayManage = useMay("principals:manage");
  const inviting = useUrlDialog("invite");
  const creating = useUrlDialog("new-account");
  const [invited, setInvited] = useState<CreatedInvitation>();
  const tab = useUrlTab(TABS);
  if (principals.isLoadingError)
    return <ErrorAlert error={principals.error} onRetry={() => void principals.refetch()} />;
  const open = invitations.data ?? [];
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>People</Title>
        {mayManage && (
          <Group gap="sm">
            <Button variant="default" onClick={() => creating.open("1")}>
              Create a service account
            </Button>
            <Button onClick={() => inviting.open(NEW)}>Invite a person</Button>
          </Group>
        )}
      </Group>
      <LacksPermission permission="principals:manage" purpose="invite people or change roles" />
      <Tabs {...tab} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="people">People</Tabs.Tab>
          <Tabs.Tab value="teams">Teams</Tabs.Tab>
          <Tabs.Tab value="service-accounts">Service accounts</Tabs.Tab>
          <Tabs.Tab value="roles">Roles</Tabs.Tab>
          <Tabs.Tab value="invitations">
            Invitations{invitations.data !== undefined && ` (${open.length})`}
          </Tabs.Tab>
          <Tabs.Tab value="sign-in">Sign-in</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="people" pt="md">
          {principals.data === undefined ? (
            <Skeleton height={320} aria-label="Loading the people" />
          ) : (
            <PeoplePanel principals={principals.data} type="user" />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="teams" pt="md">
          <TeamsPanel />
        </Tabs.Panel>
        <Tabs.Panel value="service-accounts" pt="md">
          <Stack>
            <Text size="sm">
              A service account stands for a program, such as a deployment. Disabling it ends the use of all
              its keys.
            </Text>
            {principals.data !== undefined && (
              <PeoplePanel principals={principals.data} type="service_account" />
            )}
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="roles" pt="md">
          <RolesPanel />
        </Tabs.Panel>
        <Tabs.Panel value="invitations" pt="md">
          <InvitationsPanel onInvite={inviting.open} />
        </Tabs.Panel>
        <Tabs.Panel value="sign-in" pt="md">
          <Suspense fallback={<Skeleton height={240} aria-label="Loading the identity providers" />}>
            <ProvidersPanel />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
      {inviting.value !== "" && mayManage && (
        <InviteDialog
          key={inviting.value}
          again={open.find(({ id }) => id === inviting.value)}
          onInvited={(result) => {
            setInvited(result);
            inviting.discard();
          }}
          onClose={inviting.close}
        />
      )}
      {invited !== undefined && (
        <NewInvitationDialog invitation={invited} onClose={() => setInvited(undefined)} />
      )}
      {creating.value !== "" && mayManage && <CreateServiceAccountDialog onClose={creating.close} />}
    </Stack>
  );
}
