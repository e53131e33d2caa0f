import { Anchor } from "@mantine/core";
import type { Service } from "@waymark/shared/services/schema.ts";
import { Link } from "wouter";
import { LOCALE } from "../lib/locale.ts";

/** Leads to the overdue findings of a service. Renders nothing if there are none. */
export function OverdueLink({ of: { id, overdueFindingCount } }: { of: Service }) {
  if (overdueFindingCount === null || overdueFindingCount === 0) return null;
  return (
    <Anchor
      component={Link}
      href={`/findings?due=overdue&serviceId=${id}`}
      c="var(--mantine-color-error)"
      inherit
    >
      {overdueFindingCount.toLocaleString(LOCALE)} overdue
    </Anchor>
  );
}
