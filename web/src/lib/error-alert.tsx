import { Alert, Button, Stack, Text } from "@mantine/core";
import { ApiError, ConnectionError } from "./api.ts";

/** Explains why a page couldn't be loaded. Offers a retry unless access was denied or nothing was found. */
export function ErrorAlert({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const refusal = error instanceof ApiError ? error : undefined;
  if (refusal?.status === 403) {
    return (
      <Alert color="yellow" title="You don't have access" role="status">
        {refusal.message}
      </Alert>
    );
  }
  if (refusal?.status === 404) {
    return (
      <Alert color="gray" title="Not found" role="status">
        {refusal.message} It may have been deleted, or belong to another organization.
      </Alert>
    );
  }
  return (
    <Alert color="red" title="Couldn't load this" role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {error instanceof ApiError || error instanceof ConnectionError
            ? error.message
            : "The server sent an unexpected response. Reload the page or try again later."}
        </Text>
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
