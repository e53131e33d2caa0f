import { z } from "zod";
import { type Environment, given } from "../../lib/config.ts";
import { isAzurePipelines } from "../../report/azure-pipelines.ts";
import { addressBelow, type CommentThread, htmlMarker } from "./comment-thread.ts";

const VERSION = "api-version=7.1";
/** A thread that is open can keep a pull request from being completed. */
const CLOSED = 4;
const TEXT = 1;

const Threads = z.object({
  value: z.array(
    z.object({
      id: z.int().min(0),
      isDeleted: z.boolean().nullish(),
      comments: z
        .array(
          z.object({ id: z.int().min(0), content: z.string().nullish(), isDeleted: z.boolean().nullish() }),
        )
        .nullish(),
    }),
  ),
});

/**
 * The threads of this build's pull request; undefined elsewhere than in a build of Azure Pipelines for a pull request in Azure Repos.
 * @see https://learn.microsoft.com/rest/api/azure/devops/git/pull-request-threads
 */
export function azureThread(env: Environment, token: string): CommentThread | undefined {
  const number = /^\d+$/.exec(env["SYSTEM_PULLREQUEST_PULLREQUESTID"] ?? "")?.[0];
  const [project, repository] = [given(env["SYSTEM_TEAMPROJECTID"]), given(env["BUILD_REPOSITORY_ID"])];
  if (!isAzurePipelines(env) || env["BUILD_REPOSITORY_PROVIDER"] !== "TfsGit") return undefined;
  if (number === undefined || project === undefined || repository === undefined) return undefined;
  const [inProject, inRepository] = [project, repository].map(encodeURIComponent);
  const url = addressBelow(
    given(env["SYSTEM_COLLECTIONURI"]),
    `/${inProject}/_apis/git/repositories/${inRepository}/pullRequests/${number}/threads`,
  );
  if (url === undefined) return undefined;
  return {
    name: `pull request ${number}`,
    pageUrl: () => `${url}?${VERSION}`,
    readPage: (body) => {
      const { data } = Threads.safeParse(body);
      if (data === undefined) return undefined;
      const comments = data.value.flatMap((thread) => {
        const [first] = thread.comments ?? [];
        if (first === undefined || thread.isDeleted === true || first.isDeleted === true) return [];
        return [{ text: first.content ?? "", url: `${url}/${thread.id}/comments/${first.id}?${VERSION}` }];
      });
      // All threads are one page.
      return { comments, isLast: true };
    },
    createUrl: `${url}?${VERSION}`,
    contentOf: (text, change) =>
      change === "update"
        ? { content: text }
        : { comments: [{ parentCommentId: 0, content: text, commentType: TEXT }], status: CLOSED },
    updateMethod: "PATCH",
    markerOf: htmlMarker,
    charactersMax: 65_000,
    headers: { accept: "application/json", authorization: authorizationOf(token) },
    permission:
      "the build service needs the permission Contribute to pull requests in the repository, and WAYMARK_COMMENT_TOKEN is $(System.AccessToken)",
  };
}

/** The token of a job is a JSON Web Token; a personal one is a password. */
function authorizationOf(token: string): string {
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return `Bearer ${token}`;
  return `Basic ${Buffer.from(`:${token}`).toString("base64")}`;
}
