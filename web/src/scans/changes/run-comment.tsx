import { Anchor, Button, Group, Text } from "@mantine/core";
import type { ScanRunComment } from "@waymark/shared/scans/run-comments/schema.ts";
import { RUN_COMMENT_LIMITS } from "@waymark/shared/scans/run-comments/limits.ts";
import { useState } from "react";
import { lazyDialog } from "../../lib/lazy-dialog.tsx";
import { TimeAgo } from "../../lib/time.tsx";
import { useKeyNames } from "../../lib/use-key-names.ts";
import { useMay } from "../../lib/use-session.ts";
import { authorName } from "../comments/author-name.ts";
import { CommentText } from "../comments/comment-text.tsx";
import { useChangeRunComments } from "./use-run-comments.ts";

const CommentForm = lazyDialog(async () => (await import("../comments/comment-form.tsx")).CommentForm);
const ConfirmDialog = lazyDialog(async () => (await import("../../lib/confirm-dialog.tsx")).ConfirmDialog);

/** A comment in the timeline of a run. Its time is the link to it. */
export function RunComment({ scanRunId, comment }: { scanRunId: string; comment: ScanRunComment }) {
  const [isEdited, setEdited] = useState(false);
  const { change } = useChangeRunComments(scanRunId);
  const author = authorName(comment, useKeyNames());
  const { id: commentId, text, createdAt, editedAt } = comment;
  return (
    <>
      <span>
        <Text span size="sm" fw={600}>
          {author}
        </Text>{" "}
        <Text span size="xs" c="dimmed">
          <Anchor href={`#comment-${commentId}`} inherit c="dimmed">
            <TimeAgo at={createdAt} />
            <span className="visually-hidden">, link to this comment</span>
          </Anchor>
          {editedAt !== null && " · edited"}
        </Text>
      </span>
      {isEdited ? (
        <CommentForm
          name="Change your comment"
          description="Everybody who may read this page sees it"
          action="Save"
          textMax={RUN_COMMENT_LIMITS.textMax}
          initialText={text}
          pending={change.isPending}
          error={change.error}
          onSubmit={(changed) =>
            change.mutate({ commentId, text: changed }, { onSuccess: () => setEdited(false) })
          }
          onCancel={() => setEdited(false)}
        />
      ) : (
        <>
          <CommentText text={text} />
          <Actions scanRunId={scanRunId} comment={comment} onEdit={() => setEdited(true)} />
        </>
      )}
    </>
  );
}

/** Its author changes and deletes a comment; administrators delete it. */
function Actions(props: { scanRunId: string; comment: ScanRunComment; onEdit: () => void }) {
  const { scanRunId, comment, onEdit } = props;
  const { remove } = useChangeRunComments(scanRunId);
  const [isAsked, setAsked] = useState(false);
  const mayWrite = useMay("findings:decide");
  const isAdministrator = useMay("principals:manage");
  if (!mayWrite || (!comment.isOwn && !isAdministrator)) return null;
  return (
    <Group gap="xs" mt={4}>
      {comment.isOwn && (
        <Button size="compact-xs" variant="default" aria-label="Edit this comment" onClick={onEdit}>
          Edit
        </Button>
      )}
      <Button
        size="compact-xs"
        variant="default"
        aria-label="Delete this comment"
        onClick={() => setAsked(true)}
      >
        Delete
      </Button>
      {isAsked && (
        <ConfirmDialog
          title="Delete this comment?"
          action="Delete comment"
          pending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(comment.id, { onSuccess: () => setAsked(false) })}
          onClose={() => setAsked(false)}
        >
          Its text is deleted. The audit record says who deleted it, without the text.
        </ConfirmDialog>
      )}
    </Group>
  );
}
