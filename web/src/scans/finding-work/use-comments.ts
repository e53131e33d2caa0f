import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import {
  createFindingComment,
  deleteFindingComment,
  listFindingComments,
} from "@waymark/shared/scans/finding-comments/addresses.ts";
import { FindingComment, FindingCommentPage } from "@waymark/shared/scans/finding-comments/schema.ts";
import { callApi } from "../../lib/api.ts";
import { apiQuery } from "../../lib/api-query.ts";
import { readPages } from "../../lib/read-query.ts";

/** A finding of a service, the same in all of its scans. */
export interface FindingOfService {
  serviceId: string;
  fingerprint: string;
}

const keyOf = ({ serviceId, fingerprint }: FindingOfService) => ["finding-comments", serviceId, fingerprint];

/** The comments on a finding, newest first. */
export function useComments(finding: FindingOfService) {
  const query = apiQuery(keyOf(finding), listFindingComments, { query: { ...finding } });
  return useInfiniteQuery({
    ...readPages(query, FindingCommentPage),
    select: ({ pages }) => pages.flatMap(({ comments }) => comments),
  });
}

/** Comments on a finding. */
export function useAddComment(finding: FindingOfService) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (text: string) =>
      callApi(createFindingComment, { body: { ...finding, text } }, { read: FindingComment }),
    onSuccess: () => client.invalidateQueries({ queryKey: keyOf(finding) }),
  });
}

/** Deletes a comment of one's own. */
export function useDeleteComment(finding: FindingOfService) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (commentId: string) => callApi(deleteFindingComment, { params: { commentId } }),
    onSettled: () => client.invalidateQueries({ queryKey: keyOf(finding) }),
  });
}
