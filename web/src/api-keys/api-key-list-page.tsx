import { Badge, Button, Code, Group, Skeleton, Stack, Table, Text, Title } from "@mantine/core";
import type { ApiKey, CreatedApiKeyResult } from "@waymark/shared/api-keys/schema.ts";
import { useState } from "react";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { ResponsiveTable } from "../lib/responsive-table.tsx";
import { Time } from "../lib/time.tsx";
import { useUrlDialog } from "../lib/use-url-state.ts";
import { hasPermission, useSession } from "../lib/use-session.ts";
import { ApiKeyDialog } from "./api-key-dialog.tsx";
import { CreateKeyDialog } from "./create-key-dialog.tsx";
import { summarizeScopes } from "./describe-scope.ts";
import { stateOf } from "./key-state.ts";
import { NewKeyDialog } from "./new-key-dialog.tsx";
import { useApiKeys } from "./use-api-keys.ts";

const STATUS_COLORS = { active: "teal.9", disabled: "grape.9", expired: "gray.7", revoked: "red.9" } as const;

export default function ApiKeyListPage() {
  const keys = useApiKeys();
  const { data: session } = useSession();
  const creating = useUrlDialog("new");
  const [created, setCreated] = useState<CreatedApiKeyResult>();
  const mayCreate = session !== null && session !== undefined && hasPermission(session, "api-keys:create");
  return (
    <Stack>
      <title>API keys · Waymark</title>
      <Group justify="space-between">
        <Title order={1}>API keys</Title>
        <Button onClick={() => creating.open("ci-scan")} disabled={!mayCreate}>
          Create a key
        </Button>
      </Group>
      {!mayCreate && <Text size="sm">Your key lacks api-keys:create, so it can't create keys.</Text>}
      {keys.isPending && <Skeleton height={480} aria-label="Loading the keys" />}
      {keys.isError && <ErrorAlert error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.isSuccess && <ApiKeyTable apiKeys={keys.data} ownId={session?.apiKeyId} onRotated={setCreated} />}
      {creating.value !== "" && mayCreate && (
        <CreateKeyDialog
          preset={creating.value}
          onCreated={(result) => {
            setCreated(result);
            creating.discard();
          }}
          onClose={creating.close}
        />
      )}
      {created !== undefined && <NewKeyDialog created={created} onClose={() => setCreated(undefined)} />}
    </Stack>
  );
}

function ApiKeyTable(props: {
  apiKeys: readonly ApiKey[];
  ownId: string | undefined;
  onRotated: (created: CreatedApiKeyResult) => void;
}) {
  const { apiKeys, ownId, onRotated } = props;
  const dialog = useUrlDialog("key");
  const opened = apiKeys.find((key) => key.id === dialog.value);
  return (
    <>
      <ResponsiveTable>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th>Key</Table.Th>
            <Table.Th>Scopes</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>Expires</Table.Th>
            <Table.Th>
              <span className="visually-hidden">Actions</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {apiKeys.map((key) => (
            <ApiKeyRow
              key={key.id}
              apiKey={key}
              isOwn={key.id === ownId}
              onOpen={() => dialog.open(key.id)}
            />
          ))}
        </Table.Tbody>
      </ResponsiveTable>
      {opened !== undefined && (
        <ApiKeyDialog
          key={opened.id}
          apiKey={opened}
          isOwn={opened.id === ownId}
          onRotated={(result) => {
            onRotated(result);
            dialog.discard();
          }}
          onClose={dialog.close}
        />
      )}
    </>
  );
}

function ApiKeyRow(props: { apiKey: ApiKey; isOwn: boolean; onOpen: () => void }) {
  const { apiKey, isOwn, onOpen } = props;
  return (
    <Table.Tr>
      <Table.Td className="breaks" fw={600}>
        {apiKey.name} {isOwn && <Badge color="blue.8">current session</Badge>}
      </Table.Td>
      <Table.Td data-label="Status">
        <Badge color={STATUS_COLORS[stateOf(apiKey)]}>{stateOf(apiKey)}</Badge>
      </Table.Td>
      <Table.Td data-label="Key">
        <Code className="whole">{apiKey.prefix}…</Code>
      </Table.Td>
      <Table.Td data-label="Scopes" data-wide className="breaks">
        {summarizeScopes(apiKey.scopes)}
      </Table.Td>
      <Table.Td data-label="Last used">
        {apiKey.lastUsedAt === null ? "never" : <Time at={apiKey.lastUsedAt} />}
      </Table.Td>
      <Table.Td data-label="Expires">
        {apiKey.expiresAt === null ? "never" : <Time at={apiKey.expiresAt} day />}
      </Table.Td>
      <Table.Td ta="right">
        <Button size="xs" variant="default" onClick={onOpen} aria-label={`Details of ${apiKey.name}`}>
          Details
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}
