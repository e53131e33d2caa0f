import { Anchor, Button, Group, Loader, Paper, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { Link, Redirect } from "wouter";
import { SnippetTabs } from "../lib/snippet-tabs.tsx";
import { useServiceRuns } from "../lib/use-service-runs.ts";
import { useMay } from "../lib/use-session.ts";
import classes from "./first-scan.module.css";

/** Shows an organization without services how to submit the first scan. */
export function FirstScan() {
  const mayCreate = useMay("api-keys:create");
  const mayTrust = useMay("trust:write");
  return (
    <>
      <Text>
        Waymark shows here what needs attention: changes that break clients, gates that fail, journeys,
        findings. It begins with a scan of an OpenAPI description, which creates its service.
      </Text>
      <ol className={classes["steps"]}>
        <Step name="key" title="1. Create a key for your pipeline">
          {mayCreate ? (
            <Button component={Link} href="/api-keys?new=ci-scan&first=scan">
              Create a CI key
            </Button>
          ) : (
            <Text size="sm">Your key lacks api-keys:create. Ask an administrator for a key.</Text>
          )}
          {mayTrust && (
            <Text size="sm" mt="sm">
              Or store no key:{" "}
              <Anchor component={Link} href="/trust-policies?new=github" underline="always">
                create a trust policy
              </Anchor>
              , by which the builds of GitHub Actions, GitLab and others get short-lived keys.
            </Text>
          )}
        </Step>
        <Step name="scan" title="2. Submit a scan">
          <SnippetTabs />
        </Step>
        <Step name="wait" title="3. See what it found">
          <Group gap="sm" wrap="nowrap" role="status">
            <Loader size="xs" aria-hidden />
            <Text size="sm">Waiting for the first scan… This page shows it as soon as it arrives.</Text>
          </Group>
        </Step>
      </ol>
    </>
  );
}

function Step({
  name,
  title,
  children,
}: {
  name: "key" | "scan" | "wait";
  title: string;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <Paper component="li" withBorder p="md" className={classes[name] ?? ""} aria-labelledby={id}>
      <Title order={2} size="h4" id={id} mb="xs">
        {title}
      </Title>
      {children}
    </Paper>
  );
}

/** Leads to the run that has arrived. */
export function FirstRun({ serviceId }: { serviceId: string }) {
  const runs = useServiceRuns(serviceId);
  const [run] = runs.data ?? [];
  return run === undefined ? (
    <Loader aria-label="Loading the first scan" />
  ) : (
    <Redirect to={`/scan-runs/${run.id}`} />
  );
}
