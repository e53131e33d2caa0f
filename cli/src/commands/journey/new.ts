import { Command, Option } from "clipanion";
import { BaseCommand } from "../../framework/base-command.ts";

export class JourneyNewCommand extends BaseCommand {
  static override paths = [["journey", "new"]];

  static override usage = Command.Usage({
    description: "Create a journey from an OpenAPI description, from a template, or as a variant of another.",
    details: `
      With --openapi, each resource that can be created gets a journey over its life: create, read, update, list, remove, and
      check that it is gone, with bodies, required parameters and statuses from the description, credentials as references to
      secrets, a teardown and acceptance criteria. --resource selects resources by name or path.

      With --template, the template's text is copied, including comments, with another title and adapted relative sources.
      With --variant-of, it creates an overlay that keeps its link to the base.

      With none of them, it creates a minimal journey: one call of --url.

      Exit codes: 0 created, 2 usage, an existing file (--force replaces it), or a file that can't be read.
    `,
    examples: [
      [
        "A journey for every resource of an API, into a folder",
        "$0 journey new journeys --openapi api/openapi.yaml",
      ],
      ["For one resource", "$0 journey new orders.journey.yaml --openapi openapi.yaml --resource orders"],
      ["What resources there are", "$0 journey new --openapi openapi.yaml --list"],
      ["From a template", "$0 journey new refund.journey.yaml --template base.journey.yaml --title Refund"],
      [
        "A variant of a journey",
        "$0 journey new guest.overlay.yaml --variant-of checkout.journey.yaml --title Guest",
      ],
    ],
  });

  file = Option.String({ name: "file", required: false });
  openapi = Option.String("--openapi", { description: "OpenAPI or Swagger file to create journeys from" });
  resource = Option.Array("--resource", [], {
    description: "Only this resource, by its name or path; repeat it",
  });
  list = Option.Boolean("--list", { description: "List the resources, and create nothing" });
  template = Option.String("--template", { description: "Journey to start from" });
  variantOf = Option.String("--variant-of", { description: "Journey to create an overlay for" });
  url = Option.String("--url", { description: "Address that the step of a minimal journey calls" });
  title = Option.String("--title", { description: "Title (default: from the file's name)" });
  force = Option.Boolean("--force", { description: "Replace existing files" });
  json = Option.Boolean("--json", { description: "Print one JSON object" });

  override async run(): Promise<number> {
    const { newJourney } = await import("./new/new-journey.ts");
    return newJourney(this.context, this);
  }
}
