import { Button, Code, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { EnvironmentSecret } from "@waymark/shared/environments/secrets/schema.ts";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { LacksPermission } from "../lib/lacks-permission.tsx";
import { ResponsiveTable } from "../lib/responsive-table.tsx";
import { TimeAgo } from "../lib/time.tsx";
import { useMay } from "../lib/use-session.ts";
import { useUrlDialog } from "../lib/use-url-state.ts";
import { useDeleteSecret, useSecrets } from "./use-environments.ts";
import { lazyDialog } from "../lib/lazy-dialog.tsx";

const ConfirmDialog = lazyDialog(async () => (await import("../lib/confirm-dialog.tsx")).ConfirmDialog);
const SecretDialog = lazyDialog(async () => (await import("./secret-dialog.tsx")).SecretDialog);

/** The character before the name of a new secret in the address. The name may be empty; none has this character. */
const NEW = "+";

/** The environment's secrets without their values, which nobody can read. */
export function SecretsSection({ environmentId }: { environmentId: string }) {
  const secrets = useSecrets(environmentId);
  const mayWrite = useMay("secrets:write");
  const setting = useUrlDialog("secret");
  const deleting = useUrlDialog("delete-secret");
  const find = (name: string) => secrets.data?.secrets.find((secret) => secret.name === name);
  const [replaced, deleted] = [find(setting.value), find(deleting.value)];
  const isOpen = mayWrite && (setting.value.startsWith(NEW) || replaced !== undefined);
  return (
    <section aria-labelledby="secrets">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h3" id="secrets">
          Secrets
        </Title>
        <Button size="xs" variant="default" disabled={!mayWrite} onClick={() => setting.open(NEW)}>
          Set a secret
        </Button>
      </Group>
      <Stack gap="xs">
        <LacksPermission permission="secrets:write" purpose="set or delete secrets" />
        {secrets.isPending && <Skeleton height={120} aria-label="Loading the secrets" />}
        {secrets.isLoadingError && (
          <ErrorAlert error={secrets.error} onRetry={() => void secrets.refetch()} />
        )}
        {secrets.data !== undefined && (
          <SecretTable
            secrets={secrets.data.secrets}
            mayWrite={mayWrite}
            onReplace={setting.open}
            onDelete={deleting.open}
          />
        )}
      </Stack>
      {isOpen && (
        <SecretDialog
          environmentId={environmentId}
          secret={replaced ?? null}
          newName={setting.value.slice(NEW.length)}
          onClose={setting.close}
        />
      )}
      {mayWrite && deleted !== undefined && (
        <DeleteSecretDialog environmentId={environmentId} secret={deleted} onClose={deleting.close} />
      )}
    </section>
  );
}

function SecretTable(props: {
  secrets: readonly EnvironmentSecret[];
  mayWrite: boolean;
  onReplace: (name: string) => void;
  onDelete: (name: string) => void;
}) {
  const { secrets, mayWrite, onReplace, onDelete } = props;
  if (secrets.length === 0)
    return (
      <Text role="status">No secrets yet. A journey names one as env:NAME, and gets its value here.</Text>
    );
  return (
    <ResponsiveTable>
      <thead>
        <tr>
          <th>Name</th>
          <th>Sent only to</th>
          <th>Set</th>
          <th>Last used</th>
          <th>
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {secrets.map((secret) => (
          <tr key={secret.name}>
            <td className="breaks">
              <Code>{secret.name}</Code>
            </td>
            <td data-label="Sent only to" data-wide className="breaks">
              {secret.hosts.join(", ")}
            </td>
            <td data-label="Set">
              <TimeAgo at={secret.updatedAt} />, version {secret.version}
            </td>
            <td data-label="Last used">
              {secret.lastUsedAt === null ? "never" : <TimeAgo at={secret.lastUsedAt} />}
            </td>
            <td className="right">
              <Group gap={6} justify="flex-end" wrap="nowrap">
                <Button
                  size="xs"
                  variant="default"
                  disabled={!mayWrite}
                  aria-label={`Replace ${secret.name}`}
                  onClick={() => onReplace(secret.name)}
                >
                  Replace
                </Button>
                <Button
                  size="xs"
                  variant="default"
                  disabled={!mayWrite}
                  aria-label={`Delete ${secret.name}`}
                  onClick={() => onDelete(secret.name)}
                >
                  Delete…
                </Button>
              </Group>
            </td>
          </tr>
        ))}
      </tbody>
    </ResponsiveTable>
  );
}

function DeleteSecretDialog(props: {
  environmentId: string;
  secret: EnvironmentSecret;
  onClose: () => void;
}) {
  const { environmentId, secret, onClose } = props;
  const remove = useDeleteSecret(environmentId);
  return (
    <ConfirmDialog
      title={`Delete ${secret.name}?`}
      action="Delete secret"
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(secret.name, { onSuccess: onClose })}
      onClose={onClose}
    >
      Journeys that need it can't run here until it is set again. Its value can't be restored.
    </ConfirmDialog>
  );
}
