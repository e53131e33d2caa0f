import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { type ComponentType, type ReactNode, use, useState } from "react";
import { notLoaded } from "./load-code.ts";

/**
 * A part of a page that loads when it is first shown, in a Suspense. If it can't be loaded, its place says so and has a button that
 * tries again; the rest of the page stays.
 *
 * @param what begins the sentence that says what could not be loaded
 */
export function lazyPart<Props extends object>(
  what: string,
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loading: Promise<ComponentType<Props> | undefined> | undefined;
  return function LazyPart(props: Props): ReactNode {
    const [, setTries] = useState(0);
    const Part = use((loading ??= load().catch(() => undefined)));
    if (Part !== undefined) return <Part {...props} />;
    const retry = () => {
      loading = undefined;
      setTries((tries) => tries + 1);
    };
    return <NotLoaded what={what} onRetry={retry} />;
  };
}

/** Says that code could not be loaded. */
export function NotLoaded({ what, onRetry }: { what: string; onRetry: () => void }) {
  return (
    <Alert color="red" role="alert" ref={show}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{notLoaded(what)}</Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
          <Button size="xs" variant="default" onClick={() => globalThis.location.reload()}>
            Reload the page
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** Scrolls to the alert: the part may be far from the button that opens it. */
function show(alert: HTMLElement | null): void {
  alert?.scrollIntoView({ block: "nearest" });
}
