import { Button, Stack } from "@mantine/core";
import { RequestError } from "./request-error.tsx";

/** A list that is loaded page by page. */
export interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: Error | null;
  fetchNextPage: () => unknown;
}

/** Loads the next page of a list, if there is one. A failure is shown above the button, which tries again. */
export function LoadMore({ pages, label, size = "xs" }: { pages: Pages; label: string; size?: "xs" | "sm" }) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = pages;
  if (!hasNextPage) return null;
  return (
    <Stack gap="xs" align="flex-start">
      {isFetchNextPageError && error !== null && <RequestError title="No more were loaded" error={error} />}
      <Button size={size} variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {label}
      </Button>
    </Stack>
  );
}
