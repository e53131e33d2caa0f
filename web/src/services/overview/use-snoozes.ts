import { useMutation, useQueryClient } from "@tanstack/react-query";
import { snoozeItem, unsnoozeItem } from "@waymark/shared/services/snoozes/addresses.ts";
import { type ItemEvent, Snooze } from "@waymark/shared/services/snoozes/schema.ts";
import { callApi } from "../../lib/api.ts";
import { isUser, NOBODY } from "../../lib/permissions.ts";
import { useSession } from "../../lib/use-session.ts";

/** True if the session can snooze: it is a person's. */
export function useMaySnooze(): boolean {
  const { data: session } = useSession();
  return isUser(session ?? NOBODY);
}

export function useSnooze() {
  return useChange(({ event: { kind, subjectId, event, level }, until }: { event: ItemEvent; until: Date }) =>
    callApi(
      snoozeItem,
      { params: { kind, subjectId }, body: { event, level, until: until.toISOString() } },
      { read: Snooze },
    ),
  );
}

export function useUnsnooze() {
  return useChange(({ kind, subjectId }: ItemEvent) =>
    callApi(unsnoozeItem, { params: { kind, subjectId } }),
  );
}

function useChange<Request, Result>(mutationFn: (request: Request) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => client.invalidateQueries({ queryKey: ["overview"] }) });
}
