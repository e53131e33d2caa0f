import { Command, Option } from "clipanion";
import { BaseCommand } from "../framework/base-command.ts";
import { certificateOption } from "../framework/shared-options.ts";

export class CommentCommand extends BaseCommand {
  static override paths = [["comment"]];

  static override usage = Command.Usage({
    description: "Comment on the pull request of this build with a file, or update the earlier comment.",
    details: `
      Works in builds of pull requests on GitHub Actions, Azure Pipelines (of Azure Repos) and Bitbucket Pipelines, and of merge requests on
      GitLab. The file is Markdown, such as waymark scan
      --summary writes it. A comment of an earlier build with the same --id is updated, so that a pull request has one of each.

      The token comes from the variable WAYMARK_COMMENT_TOKEN. GitHub: a token with the permission pull-requests: write. GitLab: a
      project access token with the scope api and the role Reporter. Azure: $(System.AccessToken), if the build service may contribute to pull
      requests. Bitbucket: an access token of the repository with the scope pullrequest:write.

      Exit codes: 0 commented, 2 usage or no build of a pull request, 3 the token is refused, 4 server or network.
    `,
    examples: [["Show a scan on the pull request", "$0 comment summary.md --id orders"]],
  });

  file = Option.String({ name: "file" });
  id = Option.String("--id", {
    description: "Which comment to update, such as the name of the service (default waymark)",
  });
  caCert = certificateOption();

  override async run(): Promise<number> {
    const { runComment } = await import("./comment/run-comment.ts");
    return runComment(this.context, this);
  }
}
