import { Anchor, Code, List, Stack, Text } from "@mantine/core";
import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { Link } from "wouter";
import { Time } from "../lib/time.tsx";
import { describeScope } from "./describe-scope.ts";
import type { RelatedKeys } from "./key-lineage.ts";
import { describeOwner } from "./describe-owner.ts";
import { stateOf } from "./key-state.ts";

export function KeyDetails({ apiKey, related }: { apiKey: ApiKey; related: RelatedKeys }) {
  const { creator, successor, predecessor } = related;
  return (
    <Stack gap={4}>
      <Text size="sm">
        <Code>{apiKey.prefix}…</Code>, {stateOf(apiKey)}
      </Text>
      <Text size="sm" className="breaks">
        Owner: {describeOwner(apiKey)}
      </Text>
      <Text size="sm">
        Created: <Time at={apiKey.createdAt} />
        {apiKey.createdBy !== null && ` by key ${creator?.name ?? apiKey.createdBy}`}
      </Text>
      <Text size="sm">
        Last used: {apiKey.lastUsedAt === null ? "never" : <Time at={apiKey.lastUsedAt} />} · Expires:{" "}
        {apiKey.expiresAt === null ? "never" : <Time at={apiKey.expiresAt} />}
      </Text>
      {apiKey.replacedBy !== null && (
        <Text size="sm">
          Replaced by: <KeyLink id={apiKey.replacedBy} apiKey={successor} />
        </Text>
      )}
      {predecessor !== undefined && (
        <Text size="sm">
          Replaces: <KeyLink id={predecessor.id} apiKey={predecessor} />
        </Text>
      )}
      {apiKey.disabledAt !== null && (
        <Text size="sm">
          Disabled: <Time at={apiKey.disabledAt} />
        </Text>
      )}
      {apiKey.revokedAt !== null && (
        <Text size="sm">
          Revoked: <Time at={apiKey.revokedAt} />
        </Text>
      )}
      {apiKey.allowedNetworks !== null && (
        <Text size="sm" className="breaks">
          Allowed networks: {apiKey.allowedNetworks.join(", ")}
        </Text>
      )}
      <Text size="sm">
        Audit log:{" "}
        <Anchor component={Link} href={`/audit-log?by=${apiKey.id}`}>
          what it did
        </Anchor>
        ,{" "}
        <Anchor component={Link} href={`/audit-log?about=${apiKey.id}`}>
          what was done to it
        </Anchor>
      </Text>
      <Text size="sm">Permissions</Text>
      <List size="sm" className="breaks">
        {apiKey.scopes.map((scope, index) => (
          <List.Item key={index}>{describeScope(scope)}</List.Item>
        ))}
      </List>
    </Stack>
  );
}

/** Leads to the details of another key: its prefix, because a key and its successor have one name. */
function KeyLink({ id, apiKey }: { id: string; apiKey: ApiKey | undefined }) {
  return (
    <Anchor component={Link} href={`/api-keys?key=${id}`}>
      {apiKey === undefined ? id : <Code>{apiKey.prefix}…</Code>}
    </Anchor>
  );
}
