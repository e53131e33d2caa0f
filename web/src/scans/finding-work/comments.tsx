import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { FINDING_COMMENT_LIMITS } from "@waymark/shared/scans/finding-comments/limits.ts";
import type { FindingComment } from "@waymark/shared/scans/finding-comments/schema.ts";
import { type FormEvent, useState } from "react";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { LoadMore } from "../../lib/load-more.tsx";
import { RequestError } from "../../lib/request-error.tsx";
import { TimeAgo } from "../../lib/time.tsx";
import { useKeyNames } from "../../lib/use-key-names.ts";
import { useMay } from "../../lib/use-session.ts";
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
  const keyName = useKeyNames()?.get(comment.createdByKeyId);
  const author = comment.author?.displayName ?? (keyName === undefined ? "A key" : `Key ${keyName}`);
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
      <Text className="wraps" style={{ whiteSpace: "pre-wrap" }}>
        {comment.text}
      </Text>
      {remove.error !== null && <RequestError title="The comment was not deleted" error={remove.error} />}
    </div>
  );
}

function AddComment({ finding }: { finding: FindingOfService }) {
  const [text, setText] = useState("");
  const add = useAddComment(finding);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(text, { onSuccess: () => setText("") });
  };
  return (
    <form onSubmit={submit} aria-label="Comment on this finding">
      <Stack gap="xs">
        <Textarea
          label="Comment"
          description="Everybody who may read the findings sees it"
          autosize
          minRows={2}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          maxLength={FINDING_COMMENT_LIMITS.textMax}
        />
        {add.error !== null && <RequestError title="The comment was not stored" error={add.error} />}
        <Button
          type="submit"
          size="xs"
          variant="default"
          w="fit-content"
          loading={add.isPending}
          disabled={text.trim() === ""}
        >
          Comment
        </Button>
      </Stack>
    </form>
  );
}
