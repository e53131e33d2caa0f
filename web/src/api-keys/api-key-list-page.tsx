import { Badge, Button, Code, Group, Skeleton, Stack, Table, Text, Title } from "@mantine/core";
import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { useState } from "react";
import { Problem } from "../lib/problem.tsx";
import { Time } from "../lib/time.tsx";
import { carries, useSession } from "../lib/use-session.ts";
import { ApiKeyDialog } from "./api-key-dialog.tsx";
import { CreateKeyDialog } from "./create-key-dialog.tsx";
import { describeScope } from "./describe-scope.ts";
import { useApiKeys } from "./use-api-keys.ts";

const STATUS_COLORS = { active: "teal.9", expired: "gray.7", revoked: "red.9" } as const;

export default function ApiKeyListPage() {
  const keys = useApiKeys();
  const { data: session } = useSession();
  const [creating, setCreating] = useState(false);
  const mayCreate = session !== null && session !== undefined && carries(session, "api-keys:create");
  return (
    <Stack>
      <title>API keys · Waymark</title>
      <Group justify="space-between">
        <Title order={1}>API keys</Title>
        <Button onClick={() => setCreating(true)} disabled={!mayCreate}>
          Create a key
        </Button>
      </Group>
      {!mayCreate && <Text size="sm">Your key lacks api-keys:create, so it can't hand out others.</Text>}
      {keys.isPending && <Skeleton height={240} aria-label="Loading the keys" />}
      {keys.isError && <Problem error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.isSuccess && <ApiKeyTable apiKeys={keys.data} ownId={session?.apiKeyId} />}
      <CreateKeyDialog opened={creating} onClose={() => setCreating(false)} />
    </Stack>
  );
}

function ApiKeyTable({ apiKeys, ownId }: { apiKeys: readonly ApiKey[]; ownId: string | undefined }) {
  const [openedId, setOpenedId] = useState<string | null>(null);
  const opened = apiKeys.find((key) => key.id === openedId);
  return (
    <>
      <Table.ScrollContainer minWidth={720}>
        <Table striped>
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
              <Table.Tr key={key.id}>
                <Table.Td className="breaks">
                  {key.name} {key.id === ownId && <Badge color="blue.8">yours</Badge>}
                </Table.Td>
                <Table.Td>
                  <Badge color={STATUS_COLORS[key.status]}>{key.status}</Badge>
                </Table.Td>
                <Table.Td>
                  <Code>{key.prefix}…</Code>
                </Table.Td>
                <Table.Td className="breaks">{summarize(key)}</Table.Td>
                <Table.Td>{key.lastUsedAt === null ? "never" : <Time at={key.lastUsedAt} />}</Table.Td>
                <Table.Td>{key.expiresAt === null ? "never" : <Time at={key.expiresAt} />}</Table.Td>
                <Table.Td>
                  <Button
                    size="xs"
                    variant="default"
                    onClick={() => setOpenedId(key.id)}
                    aria-label={`Inspect ${key.name}`}
                  >
                    Inspect
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {opened !== undefined && <ApiKeyDialog apiKey={opened} onClose={() => setOpenedId(null)} />}
    </>
  );
}

function summarize(key: ApiKey): string {
  const [first, ...others] = key.scopes.map(describeScope);
  if (first === undefined) return "none";
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
