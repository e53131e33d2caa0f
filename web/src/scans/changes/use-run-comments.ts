import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  createScanRunComment,
  deleteScanRunComment,
  updateScanRunComment,
} from "@waymark/shared/scans/run-comments/addresses.ts";
import { ScanRunComment } from "@waymark/shared/scans/run-comments/schema.ts";
import { callApi } from "../../lib/api.ts";
import { readList } from "../../lib/read-query.ts";
import { useMay } from "../../lib/use-session.ts";
import { commentsQuery } from "../api-queries.ts";

/** All comments on a run, oldest first: it has at most a few hundred. */
export function useRunComments(scanRunId: string) {
  return useQuery({
    ...readList(commentsQuery(scanRunId), { field: "comments", item: ScanRunComment }),
    enabled: useMay("endpoints:read"),
  });
}

/** Adds, changes and deletes comments on a run, and reads them again afterwards. */
export function useChangeRunComments(scanRunId: string) {
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: commentsQuery(scanRunId).queryKey });
  const add = useMutation({
    mutationFn: (text: string) =>
      callApi(createScanRunComment, { params: { scanRunId }, body: { text } }, { read: ScanRunComment }),
    onSettled,
  });
  const change = useMutation({
    mutationFn: ({ commentId, text }: { commentId: string; text: string }) =>
      callApi(
        updateScanRunComment,
        { params: { scanRunId, commentId }, body: { text } },
        { read: ScanRunComment },
      ),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: (commentId: string) => callApi(deleteScanRunComment, { params: { scanRunId, commentId } }),
    onSettled,
  });
  return { add, change, remove };
}
