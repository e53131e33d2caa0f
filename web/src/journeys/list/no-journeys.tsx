import { Code, Stack, Text, Title } from "@mantine/core";
import { serverAddress } from "../../lib/base-path.ts";
import { CopyTextButton } from "../../lib/copy-text-button.tsx";

const pushOf = (server: string) => `export SERVICE_API_URL=${server}
waymark journey new journeys --openapi openapi.yaml
waymark journey push`;

/** Shows an organization without journeys how to write and store the first one. */
export function NoJourneys() {
  const push = pushOf(serverAddress());
  return (
    <Stack>
      <Text>
        No journeys yet. A journey proves with ordered requests and assertions that APIs work together.
      </Text>
      <section aria-labelledby="first-journey">
        <Title order={2} size="h3" id="first-journey" mb="xs">
          Write one from an OpenAPI description, and store it here
        </Title>
        <Text size="sm" mb="xs">
          The key in the variable SERVICE_API_KEY needs journeys:read and journeys:write.
        </Text>
        <Stack gap="xs" align="flex-start">
          <Code block tabIndex={0} w="100%">
            {push}
          </Code>
          <CopyTextButton value={push} label="Copy the commands" />
        </Stack>
      </section>
    </Stack>
  );
}
