import { Text } from "@mantine/core";
import { WhomToAsk } from "./administrators/whom-to-ask.tsx";
import { isUser } from "./permissions.ts";
import { useMay, useSession } from "./use-session.ts";

/** Says which permission the user or the key lacks for an action, and whom to ask. Renders nothing if it is there. */
export function LacksPermission({ permission, purpose }: { permission: string; purpose: string }) {
  const { data: session } = useSession();
  const may = useMay(permission);
  if (may || session === null || session === undefined) return null;
  return (
    <Text size="sm">
      {isUser(session)
        ? `You lack the permission ${permission}, so you can't ${purpose}.`
        : `Your key lacks ${permission}, so it can't ${purpose}.`}{" "}
      <WhomToAsk />
    </Text>
  );
}
