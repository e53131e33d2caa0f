import { Code, List, Stack, Text } from "@mantine/core";
import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { Time } from "../lib/time.tsx";
import { describeScope } from "./describe-scope.ts";
import { stateOf } from "./key-state.ts";

export function KeyDetails({ apiKey }: { apiKey: ApiKey }) {
  return (
    <Stack gap={4}>
      <Text>
        <Code>{apiKey.prefix}…</Code>, {stateOf(apiKey)}
        {apiKey.ownerDisplayName !== null && `, owned by ${apiKey.ownerDisplayName}`}
      </Text>
      <Text>
        Created: <Time at={apiKey.createdAt} />
        {apiKey.createdBy !== null && ` by key ${apiKey.createdBy}`}
      </Text>
      <Text>
        Last used: {apiKey.lastUsedAt === null ? "never" : <Time at={apiKey.lastUsedAt} />} · Expires:{" "}
        {apiKey.expiresAt === null ? "never" : <Time at={apiKey.expiresAt} />}
      </Text>
      {apiKey.disabledAt !== null && (
        <Text>
          Disabled: <Time at={apiKey.disabledAt} />
        </Text>
      )}
      {apiKey.revokedAt !== null && (
        <Text>
          Revoked: <Time at={apiKey.revokedAt} />
        </Text>
      )}
      {apiKey.allowedNetworks !== null && (
        <Text className="breaks">Allowed networks: {apiKey.allowedNetworks.join(", ")}</Text>
      )}
      <Text>Permissions</Text>
      <List size="sm" className="breaks">
        {apiKey.scopes.map((scope, index) => (
          <List.Item key={index}>{describeScope(scope)}</List.Item>
        ))}
      </List>
    </Stack>
  );
}
