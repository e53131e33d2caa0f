import { Alert, Button, Code, Group, List, Modal, NumberInput, Stack, Text } from "@mantine/core";
import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { useState } from "react";
import { Time } from "../lib/time.tsx";
import { describeScope } from "./describe-scope.ts";
import { NewKey } from "./new-key.tsx";
import { useRevokeKey, useRotateKey } from "./use-api-keys.ts";

const GRACE_HOURS = 24;

/** One key: what it is, and the two things that can be done with it, each asked for twice. */
export function ApiKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const [asking, setAsking] = useState<"rotate" | "revoke" | null>(null);
  const [hours, setHours] = useState(GRACE_HOURS);
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
    <Modal opened onClose={onClose} title={apiKey.name} size="lg">
      <Stack>
        <Facts apiKey={apiKey} />
        {failure !== null && (
          <Alert color="red" role="alert" title="That did not work">
            {failure.message}
          </Alert>
        )}
        {asking === null && apiKey.status === "active" && (
          <Group>
            <Button variant="default" onClick={() => setAsking("rotate")}>
              Rotate…
            </Button>
            <Button color="red.9" onClick={() => setAsking("revoke")}>
              Revoke…
            </Button>
          </Group>
        )}
        {asking === "rotate" && (
          <Stack gap="xs">
            <NumberInput
              label="Hours until the old key ends"
              description="A new key with the same scopes is made now. 0 ends the old one at once."
              value={hours}
              min={0}
              max={720}
              allowDecimal={false}
              onChange={(value) => setHours(Number(value))}
              maw={320}
            />
            <Group>
              <Button
                loading={rotate.isPending}
                onClick={() => rotate.mutate({ id: apiKey.id, graceSeconds: hours * 3600 })}
              >
                Rotate this key
              </Button>
              <Button variant="default" onClick={() => setAsking(null)}>
                Keep it
              </Button>
            </Group>
          </Stack>
        )}
        {asking === "revoke" && (
          <Stack gap="xs">
            <Text>Whoever uses this key is refused from the next request on. It can't be undone.</Text>
            <Group>
              <Button
                color="red.9"
                loading={revoke.isPending}
                onClick={() => revoke.mutate(apiKey.id, { onSuccess: onClose })}
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
        Last used {apiKey.lastUsedAt === null ? "never" : <Time at={apiKey.lastUsedAt} />}, expires{" "}
        {apiKey.expiresAt === null ? "never" : <Time at={apiKey.expiresAt} />}
      </Text>
      <Text>It may:</Text>
      <List size="sm" className="breaks">
        {apiKey.scopes.map((scope, index) => (
          <List.Item key={index}>{describeScope(scope)}</List.Item>
        ))}
      </List>
    </Stack>
  );
}
