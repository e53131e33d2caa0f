import { useMutation } from "@tanstack/react-query";
import type { CurrentFinding } from "@waymark/shared/scans/current-findings/schema.ts";
import { assignFindings } from "@waymark/shared/scans/finding-assignments/addresses.ts";
import {
  AssignedFindings,
  type AssignFindingsRequest,
} from "@waymark/shared/scans/finding-assignments/schema.ts";
import {
  createFindingDecisions,
  deleteFindingDecisions,
} from "@waymark/shared/scans/finding-decisions/addresses.ts";
import {
  CreatedFindingDecisions,
  type DecisionKind,
  RevokedFindingDecisions,
} from "@waymark/shared/scans/finding-decisions/schema.ts";
import { useState } from "react";
import type { z } from "zod";
import { callApi } from "../../lib/api.ts";
import { countOf } from "../../lib/count-of.ts";
import { DECISION_WORDS } from "../decisions/describe-decision.ts";
import { useRefreshDecided } from "../decisions/use-decisions.ts";

type Assignee = z.input<typeof AssignFindingsRequest>["assignee"];

/** A change of several findings, in words, and what takes it back. */
interface Change {
  text: string;
  /** Takes the change back, and says so. */
  undo: (() => Promise<string>) | null;
}

/** Decides about several findings or assigns them, and undoes the last of these changes. */
export function useBatch({ onChanged }: { onChanged: () => void }) {
  const refresh = useRefreshDecided();
  const [last, setLast] = useState<Change | null>(null);
  // The lists first: keys that are pressed when the dialog has closed would mean rows that are about to leave.
  const show = async (change: Change) => {
    await refresh();
    setLast(change);
    onChanged();
  };
  const decide = useMutation({
    mutationFn: async ({ rows, ...decision }: Decision): Promise<Change> => decideAll(rows, decision),
    onSuccess: show,
  });
  const assign = useMutation({
    mutationFn: async ({ rows, assignee, name }: Assignment): Promise<Change> => {
      await assignAll(rows, assignee);
      const text = assignee === null ? "assigned to nobody" : `assigned to ${name}`;
      return { text: `${countOf(rows.length, "findings")} ${text}.`, undo: () => assignBack(rows, assignee) };
    },
    onSuccess: show,
  });
  const undo = useMutation({
    mutationFn: async () => (await last?.undo?.()) ?? "",
    onSuccess: (text) => setLast({ text, undo: null }),
    // Several requests may be needed, of which the first ones may have had effect.
    onSettled: refresh,
  });
  /** Forgets failures. */
  const reset = () => {
    for (const request of [decide, assign, undo]) request.reset();
  };
  return { last, decide, assign, undo, reset };
}

interface Decision {
  rows: readonly CurrentFinding[];
  kind: DecisionKind;
  reason: string;
  until: string | null;
}

interface Assignment {
  rows: readonly CurrentFinding[];
  assignee: Assignee;
  /** The name of the assignee. */
  name: string;
}

const findingIn = ({ serviceId, code, method, path, message }: CurrentFinding) => ({
  serviceId,
  code,
  finding: { method, path, message },
});

async function decideAll(
  rows: readonly CurrentFinding[],
  { kind, reason, until }: Omit<Decision, "rows">,
): Promise<Change> {
  const findings = rows.map((row) => ({ ...findingIn(row), maxSeverity: row.severity }));
  const body = { kind, reason, until, findings };
  const { decisions, replacedCount } = await callApi(
    createFindingDecisions,
    { body },
    { read: CreatedFindingDecisions },
  );
  const replaced =
    replacedCount === 0
      ? ""
      : ` This replaced ${countOf(replacedCount, "earlier decisions")}, which undoing does not bring back.`;
  return {
    text: `${countOf(rows.length, "findings")} decided: ${DECISION_WORDS[kind]}.${replaced}`,
    undo: async () => {
      const named = decisions.map(({ serviceId, decisionId }) => ({ serviceId, decisionId }));
      const request = { body: { decisions: named } };
      const { revokedCount } = await callApi(deleteFindingDecisions, request, {
        read: RevokedFindingDecisions,
      });
      const left = decisions.length - revokedCount;
      return `Undone: ${countOf(revokedCount, "decisions")} revoked${left === 0 ? "" : `, ${left} had been replaced or revoked since`}.`;
    },
  };
}

/** @param ifAssignee only the findings that have this assignee now, or none for null; undefined: all */
const assignAll = (rows: readonly CurrentFinding[], assignee: Assignee, ifAssignee?: Assignee) =>
  callApi(
    assignFindings,
    { body: { findings: rows.map(findingIn), assignee, ifAssignee } },
    { read: AssignedFindings },
  );

/** Gives findings back to those who had them before they were given to somebody, unless others have changed that since. */
async function assignBack(rows: readonly CurrentFinding[], given: Assignee): Promise<string> {
  let left = 0;
  for (const [, group] of Map.groupBy(rows, ({ assignee }) => assignee?.id)) {
    const earlier = assigneeOf(group[0]?.assignee ?? null);
    // Their assignee had them before, too.
    if (JSON.stringify(earlier) === JSON.stringify(given)) continue;
    const { unchangedCount } = await assignAll(group, earlier, given);
    left += unchangedCount;
  }
  if (left === 0) return `Undone: ${countOf(rows.length, "findings")} assigned as before.`;
  return `Undone, except for ${countOf(left, "findings")} whose assignee has been changed since.`;
}

function assigneeOf(assignee: CurrentFinding["assignee"]): Assignee {
  if (assignee === null) return null;
  return assignee.slug === null ? { principalId: assignee.id } : { team: assignee.slug };
}
