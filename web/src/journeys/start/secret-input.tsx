import { Anchor, Text } from "@mantine/core";
import type { RunInput } from "./run-inputs.ts";
import { useSecretNames } from "./use-start-run.ts";
import { addressOf } from "../../lib/base-path.ts";

/** An input whose value is a secret of the environment: whether it is set there, and if not, where to set it. */
export function SecretInput(props: { input: RunInput; environmentId: string | null }) {
  const { name, secretName } = props.input;
  const { environmentId } = props;
  const known = useSecretNames(environmentId);
  if (secretName === undefined || environmentId === null || known === undefined)
    return (
      <Text size="sm">
        <b>{name}</b> is a secret: the environment must have its value.
      </Text>
    );
  if (known.includes(secretName))
    return (
      <Text size="sm" className="breaks">
        <b>{name}</b> is the secret {secretName}, which the environment has.
      </Text>
    );
  const query = new URLSearchParams({ secret: `+${secretName}` });
  return (
    <Text size="sm" className="breaks">
      <b>{name}</b> is the secret {secretName}, which the environment doesn't have yet.{" "}
      <Anchor href={addressOf(`/environments/${environmentId}?${query}`)} target="_blank" underline="always">
        Set it in another tab
      </Anchor>
      , then come back.
    </Text>
  );
}
