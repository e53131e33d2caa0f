import { Text } from "@mantine/core";
import { useMay } from "./use-session.ts";

/** Says which permission the key lacks for an action. Renders nothing if the key has it. */
export function LacksPermission({ permission, purpose }: { permission: string; purpose: string }) {
  const may = useMay(permission);
  if (may) return null;
  return (
    <Text size="sm">
      Your key lacks {permission}, so it can't {purpose}.
    </Text>
  );
}
