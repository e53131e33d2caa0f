import { Alert, Button, Code, Group, List, Modal, NumberInput, Stack, Text } from "@mantine/core";
import { API_KEY_LIMITS, type ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { useState } from "react";
import { Time } from "../lib/time.tsx";
import { carries, useSession } from "../lib/use-session.ts";
import { describeScope } from "./describe-scope.ts";
import { NewKey } from "./new-key.tsx";
import { useRevokeKey, useRotateKey } from "./use-api-keys.ts";

const GRACE_HOURS = 24;
const HOUR_SECONDS = 3600;

/** One key: what it is, and the two things that can be done with it, each asked for twice. */
export function ApiKeyDialog(props: { apiKey: ApiKey; isOwn: boolean; onClose: () => void }) {
  const { apiKey, isOwn, onClose } = props;
  const [asking, setAsking] = useState<"rotate" | "revoke" | null>(null);
  const rotate = useRotateKey();
  const revoke = useRevokeKey();
  const failure = rotate.error ?? revoke.error;

  if (rotate.isSuccess) {
    return (
      <Modal opened onClose={onClose} title="The new key" size="lg" closeOnClickOutside={false}>
        <NewKey created={rotate.data} onDone={onClose} />
      </Modal>
    );
  }
  return (
    <Modal opened onClose={onClose} title={<span className="breaks">{apiKey.name}</span>} size="lg">
      <Stack>
        <Facts apiKey={apiKey} />
        {failure !== null && (
          <Alert color="red" role="alert" title="That did not work">
            {failure.message}
          </Alert>
        )}
        {asking === null && apiKey.status === "active" && <Actions isOwn={isOwn} onAsk={setAsking} />}
        {asking === "rotate" && (
          <RotateForm
            isOwn={isOwn}
            pending={rotate.isPending}
            onRotate={(graceSeconds) => rotate.mutate({ id: apiKey.id, graceSeconds })}
            onKeep={() => setAsking(null)}
          />
        )}
        {asking === "revoke" && (
          <Stack gap="xs">
            <Text>
              Whoever uses this key is refused from the next request on. It can't be undone.
              {isOwn && " You are signed in with it yourself: you will be signed out."}
            </Text>
            <Group>
              <Button
                color="red.9"
                loading={revoke.isPending}
                onClick={() => revoke.mutate(isOwn ? "self" : apiKey.id, { onSuccess: onClose })}
                data-autofocus
              >
                Revoke this key
              </Button>
              <Button variant="default" onClick={() => setAsking(null)}>
                Keep it
              </Button>
            </Group>
          </Stack>
        )}
      </Stack>
    </Modal>
  );
}

/** What the signed-in key may do with this one; every key may revoke itself. */
function Actions({ isOwn, onAsk }: { isOwn: boolean; onAsk: (what: "rotate" | "revoke") => void }) {
  const { data: session } = useSession();
  const may = (permission: string) =>
    session !== null && session !== undefined && carries(session, permission);
  const mayRevoke = isOwn || may("api-keys:revoke");
  const mayRotate = may("api-keys:revoke") && may("api-keys:create");
  return (
    <Stack gap="xs">
      <Group>
        <Button variant="default" onClick={() => onAsk("rotate")} disabled={!mayRotate}>
          Rotate…
        </Button>
        <Button color="red.9" onClick={() => onAsk("revoke")} disabled={!mayRevoke}>
          Revoke…
        </Button>
      </Group>
      {!mayRotate && (
        <Text size="sm" c="dimmed">
          {mayRevoke ? "Rotating" : "Rotating and revoking"} takes api-keys:revoke, and rotating
          api-keys:create as well: your key lacks that.
        </Text>
      )}
    </Stack>
  );
}

function RotateForm(props: {
  isOwn: boolean;
  pending: boolean;
  onRotate: (graceSeconds: number) => void;
  onKeep: () => void;
}) {
  const { isOwn, pending, onRotate, onKeep } = props;
  const [hours, setHours] = useState(GRACE_HOURS);
  return (
    <Stack gap="xs">
      <NumberInput
        label="Hours until the old key ends"
        description="A new key with the same scopes is made now. 0 ends the old one at once."
        value={hours}
        min={0}
        max={API_KEY_LIMITS.graceSecondsMax / HOUR_SECONDS}
        allowDecimal={false}
        onChange={(value) => setHours(Number(value))}
        maw={320}
        data-autofocus
      />
      {isOwn && <Text size="sm">You are signed in with this key: when it ends, so does your session.</Text>}
      <Group>
        <Button loading={pending} onClick={() => onRotate(hours * HOUR_SECONDS)}>
          Rotate this key
        </Button>
        <Button variant="default" onClick={onKeep}>
          Keep it
        </Button>
      </Group>
    </Stack>
  );
}

function Facts({ apiKey }: { apiKey: ApiKey }) {
  return (
    <Stack gap={4}>
      <Text>
        <Code>{apiKey.prefix}…</Code>, {apiKey.status}
        {apiKey.ownerDisplayName !== null && `, of ${apiKey.ownerDisplayName}`}
      </Text>
      <Text>
        Created <Time at={apiKey.createdAt} />
        {apiKey.createdBy !== null && ` by key ${apiKey.createdBy}`}
      </Text>
      <Text>
        Last used {apiKey.lastUsedAt === null ? "never" : <Time at={apiKey.lastUsedAt} />},{" "}
        {apiKey.revokedAt === null ? "expires" : "would have expired"}{" "}
        {apiKey.expiresAt === null ? "never" : <Time at={apiKey.expiresAt} />}
      </Text>
      {apiKey.revokedAt !== null && (
        <Text>
          Revoked <Time at={apiKey.revokedAt} />
        </Text>
      )}
      <Text>It may:</Text>
      <List size="sm" className="breaks">
        {apiKey.scopes.map((scope, index) => (
          <List.Item key={index}>{describeScope(scope)}</List.Item>
        ))}
      </List>
    </Stack>
  );
}
