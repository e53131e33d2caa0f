import { Command, Option } from "clipanion";
import { BaseCommand } from "../framework/base-command.ts";

export class InitCommand extends BaseCommand {
  static override paths = [["init"]];

  static override usage = Command.Usage({
    description: "Find the API descriptions of a repository, and set up their scans.",
    details: `
      Finds OpenAPI 3.x and Swagger 2.0 descriptions, in YAML and JSON, below the working directory. What .gitignore excludes, hidden names,
      packages of others, folders of tests and parts of descriptions are left out.

      Writes \`waymark.yaml\` with the descriptions and the names of their services, and the job of GitHub Actions or GitLab CI. The job needs no
      stored key: it exchanges its identity for one. On a terminal it asks for the names; elsewhere pass --yes. A file that exists is
      replaced only with --force, or if you say so.

      Exit codes: 0 ok, 2 usage, nothing found, or a file that exists.
    `,
    examples: [
      ["Set up a repository, and ask for the names", "$0 init"],
      ["Show what would be written", "$0 init --dry-run"],
      ["Set up a repository in a script", "$0 init --yes --ci github --api-url https://waymark.example.com"],
    ],
  });

  yes = Option.Boolean("--yes", { description: "Take the guessed names, and ask nothing" });
  dryRun = Option.Boolean("--dry-run", { description: "Print what would be written, and write nothing" });
  force = Option.Boolean("--force", { description: "Replace existing files" });
  ci = Option.String("--ci", {
    description:
      "The system to write a job for: github, gitlab or none (default: the one that the repository uses)",
  });
  apiUrl = Option.String("--api-url", {
    description:
      "Address of the server for the job (or SERVICE_API_URL; default: a variable of the CI system)",
  });

  override async run(): Promise<number> {
    const { runInit } = await import("./init/run-init.ts");
    return runInit(this.context, this);
  }
}
