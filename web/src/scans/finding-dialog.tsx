import { Anchor, Code, Drawer, Group, Stack, Text } from "@mantine/core";
import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { Link } from "wouter";
import { CopyTextButton } from "../lib/copy-text-button.tsx";
import { SeverityBadge } from "../lib/severity.tsx";
import { useReturnFocus } from "../lib/use-return-focus.ts";
import { describeFinding, placeOf } from "./describe-finding.ts";
import { operationOf } from "./filters.ts";

/** One finding with its whole text. Its address is a link to it. */
export function FindingDialog({ finding, onClose }: { finding: NormalizedFinding; onClose: () => void }) {
  const { code, severity, message, method, path } = finding;
  useReturnFocus();
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title="Finding"
      lockScroll={false}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack>
        <Group gap="sm">
          <SeverityBadge severity={severity} />
          <Code className="breaks">{code}</Code>
        </Group>
        <Text className="wraps">{message}</Text>
        <Text className="breaks">
          Place:{" "}
          {path === null ? (
            placeOf(finding)
          ) : (
            <Anchor
              component={Link}
              href={`?${new URLSearchParams({ tab: "findings", of: operationOf(method, path) })}`}
            >
              {placeOf(finding)}
            </Anchor>
          )}
        </Text>
        <Group>
          <CopyTextButton value={describeFinding(finding)} label="Copy the finding" />
          <CopyTextButton value={location.href} label="Copy the link" />
        </Group>
      </Stack>
    </Drawer>
  );
}
