import { Anchor, Badge, Button, Code, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { ApiKey, CreatedApiKeyResult } from "@waymark/shared/api-keys/schema.ts";
import { useState } from "react";
import { Link } from "wouter";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { lazyDialog } from "../../lib/lazy-dialog.tsx";
import { isUser, NOBODY } from "../../lib/permissions.ts";
import { ResponsiveTable } from "../../lib/responsive-table.tsx";
import { Time, TimeAgo } from "../../lib/time.tsx";
import { useSession } from "../../lib/use-session.ts";
import { useUrlDialog, useUrlState } from "../../lib/use-url-state.ts";
import { summarizeScopes } from "../describe-scope.ts";
import { KEY_STATE_COLORS, stateOf } from "../key-state.ts";
import { useOwnKeys } from "../use-api-keys.ts";

const load = () => import("../key-dialogs.ts");
const CreateKeyDialog = lazyDialog(async () => (await load()).CreateKeyDialog);
const NewKeyDialog = lazyDialog(async () => (await load()).NewKeyDialog);
const RevokeOwnKeyDialog = lazyDialog(
  async () => (await import("./revoke-own-key-dialog.tsx")).RevokeOwnKeyDialog,
);

/** The page of the signed-in user's own keys. */
export default function MyKeysPage() {
  const { data: session } = useSession();
  return (
    <Stack>
      {isUser(session ?? NOBODY) ? (
        <MyKeys userId={session?.principal?.id ?? ""} currentId={session?.apiKeyId} />
      ) : (
        <>
          <Title order={1}>My keys</Title>
          <Text role="status">
            You are signed in with a key that belongs to no user. Go to{" "}
            <Anchor component={Link} href="/api-keys" underline="always">
              the API keys
            </Anchor>
            .
          </Text>
        </>
      )}
    </Stack>
  );
}

function MyKeys({ userId, currentId }: { userId: string; currentId: string | undefined }) {
  const keys = useOwnKeys();
  const creating = useUrlDialog("new");
  const revoking = useUrlDialog("revoke");
  const [ended, setEnded] = useUrlState("ended");
  const [created, setCreated] = useState<CreatedApiKeyResult>();
  const current = keys.data?.find(({ id }) => id === currentId);
  const revoked = keys.data?.find(({ id, status }) => id === revoking.value && status === "active");
  const usable = keys.data?.filter(({ status }) => status === "active") ?? [];
  const shown = ended === "" ? usable : (keys.data ?? []);
  const endedCount = (keys.data?.length ?? 0) - usable.length;
  return (
    <>
      <Group justify="space-between">
        <Title order={1}>My keys</Title>
        <Button onClick={() => creating.open("everything")} disabled={current === undefined}>
          Create a key
        </Button>
      </Group>
      <Text size="sm">A personal key acts in your name, and never allows more than your roles do.</Text>
      {keys.isPending && <Skeleton height={320} aria-label="Loading your keys" />}
      {keys.isLoadingError && <ErrorAlert error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.data !== undefined && <KeyTable keys={shown} currentId={currentId} onRevoke={revoking.open} />}
      {endedCount > 0 && (
        <Button variant="default" size="xs" w="fit-content" onClick={() => setEnded(ended === "" ? "1" : "")}>
          {ended === "" ? `Show ${endedCount} that ended` : "Hide those that ended"}
        </Button>
      )}
      {creating.value !== "" && current !== undefined && (
        <CreateKeyDialog
          preset={creating.value}
          own={{ userId, scopes: current.scopes }}
          onCreated={(result) => {
            setCreated(result);
            creating.discard();
          }}
          onClose={creating.close}
        />
      )}
      {created !== undefined && (
        <NewKeyDialog created={created} isPersonal onClose={() => setCreated(undefined)} />
      )}
      {revoked !== undefined && (
        <RevokeOwnKeyDialog apiKey={revoked} isCurrent={revoked.id === currentId} onClose={revoking.close} />
      )}
    </>
  );
}

function KeyTable(props: {
  keys: readonly ApiKey[];
  currentId: string | undefined;
  onRevoke: (id: string) => void;
}) {
  const { keys, currentId, onRevoke } = props;
  return (
    <ResponsiveTable>
      <thead>
        <tr>
          <th>Name</th>
          <th>Status</th>
          <th>Key</th>
          <th>Allows</th>
          <th>Last used</th>
          <th>Expires</th>
          <th>
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <KeyRow
            key={key.id}
            apiKey={key}
            isCurrent={key.id === currentId}
            onRevoke={() => onRevoke(key.id)}
          />
        ))}
      </tbody>
    </ResponsiveTable>
  );
}

function KeyRow(props: { apiKey: ApiKey; isCurrent: boolean; onRevoke: () => void }) {
  const { apiKey, isCurrent, onRevoke } = props;
  const { name, prefix, scopes, lastUsedAt, expiresAt, status } = apiKey;
  return (
    <tr>
      <td className="breaks" style={{ fontWeight: 600 }}>
        {name} {isCurrent && <Badge color="blue.8">current session</Badge>}
      </td>
      <td data-label="Status">
        <Badge color={KEY_STATE_COLORS[stateOf(apiKey)]}>{stateOf(apiKey)}</Badge>
      </td>
      <td data-label="Key">
        <Code className="whole">{prefix}…</Code>
      </td>
      <td data-label="Allows" data-wide className="breaks">
        {summarizeScopes(scopes)}
      </td>
      <td data-label="Last used">{lastUsedAt === null ? "never" : <TimeAgo at={lastUsedAt} />}</td>
      <td data-label="Expires">{expiresAt === null ? "never" : <Time at={expiresAt} day />}</td>
      <td className="right">
        {status === "active" && (
          <Button size="xs" variant="default" onClick={onRevoke} aria-label={`Revoke ${name}`}>
            Revoke…
          </Button>
        )}
      </td>
    </tr>
  );
}
