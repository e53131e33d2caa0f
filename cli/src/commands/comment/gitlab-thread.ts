import { type Environment, given } from "../../lib/config.ts";
import { addressBelow, type CommentThread, plainComments } from "./comment-thread.ts";

/** The notes of this pipeline's merge request; undefined elsewhere than in such a pipeline of GitLab. */
export function gitlabThread(env: Environment, token: string): CommentThread | undefined {
  const number = wholeNumber(env["CI_MERGE_REQUEST_IID"]);
  // The merge request of a fork belongs to the project that it is to be merged into.
  const project = wholeNumber(env["CI_MERGE_REQUEST_PROJECT_ID"]) ?? wholeNumber(env["CI_PROJECT_ID"]);
  if (number === undefined || project === undefined) return undefined;
  const url = addressBelow(
    given(env["CI_API_V4_URL"]),
    `/projects/${project}/merge_requests/${number}/notes`,
  );
  if (url === undefined) return undefined;
  return {
    name: `merge request ${number}`,
    ...plainComments(url, (id) => `${url}/${id}`),
    updateMethod: "PUT",
    headers: { accept: "application/json", "private-token": token },
    permission:
      "the token needs the scope api and the role Reporter in the project; a job token can't comment",
  };
}

function wholeNumber(text: string | undefined): string | undefined {
  return /^\d+$/.exec(text ?? "")?.[0];
}
