import { Alert, Anchor, Button, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import { WhomToAsk } from "./administrators/whom-to-ask.tsx";
import { ApiError } from "./api.ts";

/** An alert above a page whose loaded data stays while newer data can't be loaded. */
export function OutOfDateAlert({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <Alert color="yellow" title="What you see may be out of date" role="status" mb="md">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{error.message}</Text>
        <Button size="xs" variant="default" onClick={onRetry}>
          Try again
        </Button>
      </Stack>
    </Alert>
  );
}

/** Links to the pages to go on from when one is not found. */
export function PageLinks() {
  const ways = [
    { href: "/", label: "the overview" },
    { href: "/services", label: "the services" },
    { href: "/journeys", label: "the journeys" },
  ];
  return (
    <>
      {ways.map(({ href, label }) => (
        <span key={href}>
          <Anchor component={Link} href={href} underline="always">
            {label}
          </Anchor>
          ,{" "}
        </span>
      ))}
      or{" "}
      <Anchor component={Link} href="/api-keys" underline="always">
        the API keys
      </Anchor>
    </>
  );
}

/** Explains why a page couldn't be loaded. Offers a retry unless access was denied or nothing was found. */
export function ErrorAlert({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const refusal = error instanceof ApiError ? error : undefined;
  if (refusal?.status === 403) {
    return (
      <Alert color="yellow" title="You don't have access" role="status">
        {refusal.message} <WhomToAsk />
      </Alert>
    );
  }
  if (refusal?.status === 404) {
    return (
      <Alert color="gray" title="Not found" role="status">
        {refusal.message} It may have been deleted, or belong to another organization. Go to <PageLinks />.
      </Alert>
    );
  }
  return (
    <Alert color="red" title="Couldn't load this" role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{error.message}</Text>
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
