import { Button, Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { IdentityProvider } from "@waymark/shared/principals/identity-providers/schema.ts";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { Copyable, Fact, Facts } from "../../lib/facts.tsx";
import { lazyDialog } from "../../lib/lazy-dialog.tsx";
import { useMay } from "../../lib/use-session.ts";
import type { ReactNode } from "react";
import { useUrlDialog } from "../../lib/use-url-state.ts";
import { linesOfRoles, linesOfTeams } from "./mapping-lines.ts";
import { useDeleteIdentityProvider, useIdentityProviders } from "./use-identity-providers.ts";

const ConfirmDialog = lazyDialog(async () => (await import("../../lib/confirm-dialog.tsx")).ConfirmDialog);
const ProviderDialog = lazyDialog(async () => (await import("./provider-dialog.tsx")).ProviderDialog);

/** No provider has this id. */
const NEW = "new";

/** The identity providers by which people sign in. */
export function ProvidersPanel() {
  const providers = useIdentityProviders();
  const mayChange = useMay("*");
  const editing = useUrlDialog("edit-provider");
  const deleting = useUrlDialog("delete-provider");
  if (providers.isPending) return <Skeleton height={240} aria-label="Loading the identity providers" />;
  if (providers.isLoadingError)
    return <ErrorAlert error={providers.error} onRetry={() => void providers.refetch()} />;
  const found = (id: string) => providers.data.find((provider) => provider.id === id);
  const [edited, deleted] = [found(editing.value), found(deleting.value)];
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm">
          People sign in with the account of an identity provider (OpenID Connect): Keycloak, Entra ID, Okta,
          Google or another.
        </Text>
        {mayChange && (
          <Button variant="default" size="xs" onClick={() => editing.open(NEW)}>
            Add a provider
          </Button>
        )}
      </Group>
      {providers.data.length === 0 && (
        <Text c="dimmed">There is none: people sign in with a key, and join by an invitation.</Text>
      )}
      {providers.data.map((provider) => (
        <Provider
          key={provider.id}
          provider={provider}
          actions={
            mayChange && (
              <Group gap="xs">
                <Button size="xs" variant="default" onClick={() => editing.open(provider.id)}>
                  Change…
                </Button>
                <Button size="xs" variant="default" onClick={() => deleting.open(provider.id)}>
                  Delete…
                </Button>
              </Group>
            )
          }
        />
      ))}
      {mayChange && (editing.value === NEW || edited !== undefined) && (
        <ProviderDialog key={editing.value} provider={edited} onClose={editing.close} />
      )}
      {mayChange && deleted !== undefined && <DeleteDialog provider={deleted} onClose={deleting.close} />}
    </Stack>
  );
}

function Provider({ provider, actions }: { provider: IdentityProvider; actions: ReactNode }) {
  const { displayName, issuer, clientId, emailDomains, groups, roles, teams, signInDomains } = provider;
  return (
    <Paper withBorder p="md" component="section" aria-label={displayName}>
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h4" className="breaks">
            {displayName}
          </Title>
          {actions}
        </Group>
        <Facts>
          <Fact name="Issuer">{issuer}</Fact>
          <Fact name="Client id">{clientId}</Fact>
          <Fact name="Redirect URI">
            <Copyable value={provider.redirectUri} what="the redirect URI" />
          </Fact>
          <Fact name="Back-channel logout URI">
            <Copyable value={provider.backChannelLogoutUri} what="the back-channel logout URI" />
          </Fact>
          <Fact name="May sign in">{describeAdmitted(emailDomains, groups)}</Fact>
          <Fact name="Roles">
            <Lines text={linesOfRoles(roles, "everybody")} />
          </Fact>
          {teams.length > 0 && (
            <Fact name="Teams">
              <Lines text={linesOfTeams(teams)} />
            </Fact>
          )}
          {signInDomains.length > 0 && (
            <Fact name="Led here by their address">{signInDomains.join(", ")}</Fact>
          )}
        </Facts>
      </Stack>
    </Paper>
  );
}

function Lines({ text }: { text: string }) {
  return <span style={{ whiteSpace: "pre-line" }}>{text === "" ? "none" : text}</span>;
}

function describeAdmitted(emailDomains: readonly string[], groups: readonly string[]): string {
  const ofDomains =
    emailDomains.length === 0 ? "people" : `people with an address at ${emailDomains.join(" or ")}`;
  return groups.length === 0 ? ofDomains : `${ofDomains} in the group ${groups.join(" or ")}`;
}

function DeleteDialog({ provider, onClose }: { provider: IdentityProvider; onClose: () => void }) {
  const remove = useDeleteIdentityProvider();
  return (
    <ConfirmDialog
      title={`Delete ${provider.displayName}?`}
      action="Delete provider"
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(provider.id, { onSuccess: onClose })}
      onClose={onClose}
    >
      Its sessions end at once, and so do the roles and team memberships that its groups gave. The users stay,
      with their own keys.
    </ConfirmDialog>
  );
}
