import { z } from "zod";
import type { Environment } from "../../lib/config.ts";
import type { CommentThread } from "./comment-thread.ts";

const API = "https://api.bitbucket.org/2.0";
const PAGE_SIZE = 100;

const Comments = z.object({
  values: z.array(
    z.object({
      id: z.int().min(0),
      content: z.object({ raw: z.string().nullish() }).nullish(),
      deleted: z.boolean().nullish(),
    }),
  ),
  next: z.string().nullish(),
});

/**
 * The comments of this build's pull request; undefined elsewhere than in a build of Bitbucket Pipelines for one.
 * @see https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests
 */
export function bitbucketThread(env: Environment, token: string, api = API): CommentThread | undefined {
  const number = /^\d+$/.exec(env["BITBUCKET_PR_ID"] ?? "")?.[0];
  const workspace = /^[\w.-]+$/.exec(env["BITBUCKET_WORKSPACE"] ?? "")?.[0];
  const repository = /^[\w.-]+$/.exec(env["BITBUCKET_REPO_SLUG"] ?? "")?.[0];
  if (number === undefined || workspace === undefined || repository === undefined) return undefined;
  const url = `${api}/repositories/${workspace}/${repository}/pullrequests/${number}/comments`;
  return {
    name: `pull request ${number} of ${workspace}/${repository}`,
    pageUrl: (page) => `${url}?pagelen=${PAGE_SIZE}&page=${page}`,
    readPage: (body) => {
      const { data } = Comments.safeParse(body);
      if (data === undefined) return undefined;
      const comments = data.values
        .filter(({ deleted }) => deleted !== true)
        .map(({ id, content }) => ({ text: content?.raw ?? "", url: `${url}/${id}` }));
      return { comments, isLast: (data.next ?? undefined) === undefined };
    },
    createUrl: url,
    contentOf: (text) => ({ content: { raw: withoutHtml(text) } }),
    updateMethod: "PUT",
    // Bitbucket shows HTML comments as text. It does not show the definition of a link that nothing refers to.
    markerOf: (id) => `[//]: # (waymark ${encodeURIComponent(id.toWellFormed()).replaceAll(/[()]/g, "")})\n`,
    // Bitbucket refuses comments of more than 32,768 characters.
    charactersMax: 32_000,
    headers: { accept: "application/json", authorization: `Bearer ${token}` },
    permission: "the access token of the repository needs the scope pullrequest:write",
  };
}

/** Writes the HTML of a summary as Markdown. HTML in what the summary quotes is escaped, so it stays. */
function withoutHtml(text: string): string {
  return text
    .replaceAll(/<details><summary>([^<]*)<\/summary>/g, "**$1**")
    .replaceAll("</details>", "")
    .replaceAll("<br>", " · ");
}
