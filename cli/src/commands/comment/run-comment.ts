import type { OptionsOf } from "../../framework/base-command.ts";
import type { CommentCommand } from "../comment.ts";
import { type Environment, given } from "../../lib/config.ts";
import type { CliContext } from "../../framework/context.ts";
import { CliError, EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { writeLine, writeWorkflowCommand } from "../../lib/output.ts";
import { readText } from "../../lib/read-text.ts";
import { createReporter } from "../../lib/reporter.ts";
import { annotation, isGitHubActions } from "../../report/github.ts";
import { readCertificate } from "../../framework/connection-flags.ts";
import { azureThread } from "./azure-thread.ts";
import { bitbucketThread } from "./bitbucket-thread.ts";
import { githubThread } from "./github-thread.ts";
import { gitlabThread } from "./gitlab-thread.ts";
import type { CommentThread } from "./comment-thread.ts";
import { upsertComment } from "./upsert-comment.ts";

type CommentFlags = OptionsOf<CommentCommand>;

const FILE_BYTES_MAX = 1024 * 1024;

/** Comments on the pull request of this build, or updates the comment of an earlier build. */
export async function runComment(context: CliContext, flags: CommentFlags): Promise<ExitCode> {
  try {
    const text = await readText(context, flags.file, { bytesMax: FILE_BYTES_MAX });
    if (text.trim() === "") throw usageError(`${flags.file} is empty, so there is nothing to comment.`);
    const thread = threadOf(context.env, readToken(context.env));
    const extraCa = await readCertificate(context.cwd, flags.caCert);
    const reporter = createReporter(context.stderr, { quiet: false });
    const marker = thread.markerOf(given(flags.id) ?? "waymark");
    const body = `${marker}\n${cutAtLine(text, thread.charactersMax)}`;
    const outcome = await upsertComment(thread, { context, extraCa, reporter, marker, body });
    writeLine(context.stdout, `Comment ${outcome} on ${thread.name}.`);
    return EXIT_CODES.ok;
  } catch (error) {
    // The job may continue after a missing comment, so the failure is shown beside the job's results.
    if (error instanceof CliError && isGitHubActions(context.env)) {
      writeWorkflowCommand(
        context.stderr,
        annotation("warning", `The pull request has no comment: ${error.message}`),
      );
    }
    throw error;
  }
}

/** Cuts a text that is too long for a comment at the end of a line, and says so. */
function cutAtLine(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max);
  const end = cut.lastIndexOf("\n");
  return `${end === -1 ? cut : cut.slice(0, end)}\n\n… The rest does not fit into a comment: the summary of the build has it.\n`;
}

function readToken(env: Environment): string {
  const token = given(env["WAYMARK_COMMENT_TOKEN"]);
  if (token === undefined) {
    throw usageError(
      "A token is required: set WAYMARK_COMMENT_TOKEN to one that may comment on the pull request.",
    );
  }
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw usageError("WAYMARK_COMMENT_TOKEN contains a character that tokens never have, such as a space.");
}

function threadOf(env: Environment, token: string): CommentThread {
  for (const threadIn of [githubThread, gitlabThread, azureThread, bitbucketThread]) {
    const thread = threadIn(env, token);
    if (thread !== undefined) return thread;
  }
  throw usageError(
    "This is no build of a pull request on GitHub Actions, Azure Pipelines (of Azure Repos) or Bitbucket Pipelines, or of a merge request on " +
      "GitLab, so there is nothing to comment on.",
  );
}
