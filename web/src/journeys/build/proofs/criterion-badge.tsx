import { Badge } from "@mantine/core";
import { useContext } from "react";
import { CRITERION_WORDS } from "../../run/criterion-words.ts";
import { LastRunContext } from "./last-run.ts";

/** An acceptance criterion, and whether the last run proved it. Only the id while that is not known. */
export function CriterionBadge({ id }: { id: string }) {
  const lastRun = useContext(LastRunContext);
  if (lastRun === undefined) return null;
  if (lastRun !== null && lastRun.criteria === undefined) return <Badge color="gray.7">{id}</Badge>;
  const { label, color } = CRITERION_WORDS[lastRun?.criteria?.get(id) ?? "notRun"];
  return (
    <Badge color={color} title={lastRun === null ? "The journey has not run yet" : "In the last run"}>
      {id} {label}
    </Badge>
  );
}
