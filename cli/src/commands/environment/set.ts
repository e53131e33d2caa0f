import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../../framework/connection-command.ts";

export class EnvironmentSetCommand extends ConnectionCommand {
  static override paths = [["environment", "set"]];

  static override usage = Command.Usage({
    description: "Create an environment, or change settings of one.",
    details: `
      Settings that no option names stay as they are. If somebody else changes the environment at the same moment, nothing is
      changed. Secrets are set with waymark secret set.

      Exit codes: 0 done, 2 usage or refused, 3 authentication or permission, 4 server or network.
    `,
    examples: [
      [
        "Say where a source's requests go",
        "$0 environment set staging --server orders=https://orders.staging.example.com",
      ],
      ["Take over what waymark.yaml says of it", "$0 environment set staging --from-project"],
      ["Run released versions only", "$0 environment set production --protected"],
    ],
  });

  environment = Option.String({ name: "environment", required: true });
  server = Option.Array("--server", [], {
    description: "Base URL of a source, as <source>=<url>; empty to remove it; repeat it",
  });
  variable = Option.Array("--variable", [], {
    description: "Value of a server variable, as <source>.<name>=<value>; empty to remove it; repeat it",
  });
  input = Option.Array("--input", [], {
    description: "Value of an input, as <name>=<JSON or text>; empty to remove it; repeat it. Never a secret",
  });
  reach = Option.Array("--reach", [], {
    description: "Host that journeys may connect to; repeat it. Replaces the list",
  });
  fromProject = Option.Boolean("--from-project", {
    description: "Take servers, variables and inputs from the environment of this name in waymark.yaml",
  });
  protected = Option.Boolean("--protected", {
    description: "Run only released versions; --no-protected runs every version",
  });
  bodies = Option.Boolean("--bodies", {
    description: "Store bodies of requests and responses; --no-bodies leaves them out of results",
  });
  rename = Option.String("--rename", { description: "New name" });
  json = Option.Boolean("--json", { description: "Print the environment as JSON" });

  override async run(): Promise<number> {
    const { setEnvironment } = await import("./set-environment.ts");
    return setEnvironment(this.context, this);
  }
}
