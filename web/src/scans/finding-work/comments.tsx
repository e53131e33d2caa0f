import { Button, Group, Stack, Text } from "@mantine/core";
import { FINDING_COMMENT_LIMITS } from "@waymark/shared/scans/finding-comments/limits.ts";
import type { FindingComment } from "@waymark/shared/scans/finding-comments/schema.ts";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { LoadMore } from "../../lib/load-more.tsx";
import { RequestError } from "../../lib/request-error.tsx";
import { TimeAgo } from "../../lib/time.tsx";
import { useKeyNames } from "../../lib/use-key-names.ts";
import { useMay } from "../../lib/use-session.ts";
import { authorName } from "../comments/author-name.ts";
import { CommentForm } from "../comments/comment-form.tsx";
import { CommentText } from "../comments/comment-text.tsx";
import { type FindingOfService, useAddComment, useComments, useDeleteComment } from "./use-comments.ts";

/** The comments on a finding, and the way to add one. */
export function Comments({ finding }: { finding: FindingOfService }) {
  const comments = useComments(finding);
  const mayWrite = useMay("findings:decide");
  if (comments.isLoadingError)
    return <ErrorAlert error={comments.error} onRetry={() => void comments.refetch()} />;
  const shown = comments.data ?? [];
  if (shown.length === 0 && !mayWrite) return null;
  return (
    <Stack gap="xs" role="group" aria-label="Comments">
      {shown.map((comment) => (
        <Comment key={comment.id} finding={finding} comment={comment} mayDelete={mayWrite && comment.isOwn} />
      ))}
      <LoadMore pages={comments} label="Load older comments" />
      {mayWrite && <AddComment finding={finding} />}
    </Stack>
  );
}

function Comment(props: { finding: FindingOfService; comment: FindingComment; mayDelete: boolean }) {
  const { finding, comment, mayDelete } = props;
  const remove = useDeleteComment(finding);
  const author = authorName(comment, useKeyNames());
  return (
    <div>
      <Group gap="xs">
        <Text size="sm" fw={600} className="breaks">
          {author}
        </Text>
        <Text size="sm" c="dimmed">
          <TimeAgo at={comment.createdAt} />
        </Text>
        {mayDelete && (
          <Button
            size="compact-xs"
            variant="default"
            aria-label="Delete this comment"
            loading={remove.isPending}
            onClick={() => remove.mutate(comment.id)}
          >
            Delete
          </Button>
        )}
      </Group>
      <CommentText text={comment.text} />
      {remove.error !== null && <RequestError title="The comment was not deleted" error={remove.error} />}
    </div>
  );
}

function AddComment({ finding }: { finding: FindingOfService }) {
  const add = useAddComment(finding);
  return (
    <CommentForm
      name="Comment on this finding"
      description="Everybody who may read the findings sees it"
      action="Comment"
      textMax={FINDING_COMMENT_LIMITS.textMax}
      pending={add.isPending}
      error={add.error}
      onSubmit={(text, onStored) => add.mutate(text, { onSuccess: onStored })}
    />
  );
}
