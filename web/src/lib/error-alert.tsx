import { Alert, Button, Stack, Text } from "@mantine/core";
import { ApiError } from "./api.ts";

/** What went wrong and what can be done: a refusal is shown as one, a fault can be tried again. */
export function ErrorAlert({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const refusal = error instanceof ApiError ? error : undefined;
  if (refusal?.status === 403) {
    return (
      <Alert color="yellow" title="Your key may not see this" role="status">
        {refusal.message}
      </Alert>
    );
  }
  if (refusal?.status === 404) {
    return (
      <Alert color="gray" title="Nothing here" role="status">
        {refusal.message} It may have been deleted, or belong to another organization.
      </Alert>
    );
  }
  return (
    <Alert color="red" title="This could not be loaded" role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{refusal?.message ?? "The server can't be reached. Check the connection."}</Text>
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
