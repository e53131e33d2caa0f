import { Skeleton, Text, Title } from "@mantine/core";
import { RUN_COMMENT_LIMITS } from "@waymark/shared/scans/run-comments/limits.ts";
import type { ScanChanges, ScanRun } from "@waymark/shared/scans/schema.ts";
import { useEffect, useRef } from "react";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { lazyDialog } from "../../lib/lazy-dialog.tsx";
import { TimeAgo } from "../../lib/time.tsx";
import { useCreatorKey } from "../../lib/use-creator-key.ts";
import { useKeyNames } from "../../lib/use-key-names.ts";
import { useMay } from "../../lib/use-session.ts";
import { promotedAt } from "../use-promote.ts";
import { useGates } from "../use-scan-run.ts";
import classes from "./aside.module.css";
import { RunComment } from "./run-comment.tsx";
import { inOrder, timelineOf } from "./timeline.ts";
import { useChangeRunComments, useRunComments } from "./use-run-comments.ts";

// Most readers write no comment.
const CommentForm = lazyDialog(async () => (await import("../comments/comment-form.tsx")).CommentForm);

/** Lists what happened to a run, as far as it is stored, with what people said about it. */
export function RunTimeline({ run, changes }: { run: ScanRun; changes: ScanChanges }) {
  const submitter = useCreatorKey(run).data?.name;
  const keyNames = useKeyNames();
  const gates = useGates(run).data?.verdict ?? null;
  const comments = useRunComments(run.id);
  const mayWrite = useMay("findings:decide");
  const { comparison, verdicts } = changes;
  const entries = timelineOf({
    run,
    keyNames,
    submitter,
    comparison,
    verdicts,
    gates,
    promotedAt: promotedAt(run),
  });
  const isMissing = useLinkedComment(comments.data);
  return (
    <section aria-labelledby="timeline" className={classes["section"]}>
      <Title order={2} size="h4" id="timeline" className={classes["title"] ?? ""}>
        Timeline
      </Title>
      {isMissing && (
        <Text size="sm" role="status">
          The link leads to a comment that no longer exists.
        </Text>
      )}
      <ol className={classes["timeline"]}>
        {inOrder(entries, comments.data ?? []).map((entry) =>
          "text" in entry ? (
            <li key={entry.id} id={`comment-${entry.id}`} tabIndex={-1} className={classes["comment"]}>
              <RunComment scanRunId={run.id} comment={entry} />
            </li>
          ) : (
            <li key={`${entry.at} ${entry.what}`} className="breaks">
              <span>{entry.what}</span>{" "}
              <Text span size="xs" c="dimmed">
                <TimeAgo at={entry.at} />
              </Text>
              {entry.reason !== undefined && (
                <Text size="xs" c="dimmed">
                  {entry.reason}
                </Text>
              )}
            </li>
          ),
        )}
      </ol>
      {comments.isLoading && <Skeleton height={24} aria-label="Loading the comments" />}
      {comments.isLoadingError && (
        <ErrorAlert error={comments.error} onRetry={() => void comments.refetch()} />
      )}
      {mayWrite && comments.data !== undefined && <AddComment scanRunId={run.id} />}
    </section>
  );
}

function AddComment({ scanRunId }: { scanRunId: string }) {
  const { add } = useChangeRunComments(scanRunId);
  return (
    <CommentForm
      name="Comment on this change"
      description="Everybody who may read this page sees it"
      action="Comment"
      textMax={RUN_COMMENT_LIMITS.textMax}
      pending={add.isPending}
      error={add.error}
      onSubmit={(text, onStored) => add.mutate(text, { onSuccess: onStored })}
    />
  );
}

const PREFIX = "#comment-";

/**
 * Moves the focus to the comment that the address names, once it is there: the browser looked for it before.
 *
 * @returns whether there is no such comment
 */
function useLinkedComment(comments: readonly { id: string }[] | undefined): boolean {
  const wasMoved = useRef(false);
  const { hash } = globalThis.location;
  const isLinked = hash.startsWith(PREFIX);
  useEffect(() => {
    if (wasMoved.current || comments === undefined || !isLinked) return;
    wasMoved.current = true;
    const linked = document.querySelector<HTMLElement>(`#${CSS.escape(hash.slice(1))}`);
    linked?.focus({ preventScroll: true });
    linked?.scrollIntoView({ block: "center" });
  }, [comments, hash, isLinked]);
  return isLinked && comments !== undefined && comments.every(({ id }) => `${PREFIX}${id}` !== hash);
}
