import { Command, Option } from "clipanion";
import { BaseCommand } from "../../app/base-command.ts";

export class JourneyNewCommand extends BaseCommand {
  static override paths = [["journey", "new"]];

  static override usage = Command.Usage({
    description: "Make a journey from an OpenAPI description, from a template, or as a variant of another.",
    details: `
      With --openapi each resource that can be created gets a journey of its life: create, read, update, list, remove, and
      see that it is gone, with bodies, required parameters and statuses from the description, its credentials as a secret by
      reference, a teardown and acceptance criteria. --resource picks some of them, by name or path.

      With --template the template's text is taken over, comments included, with another title; relative sources are written
      anew. With --variant-of an overlay is made that keeps its link to the base.

      With none of them the smallest journey is made: one call of --url.

      Exit codes: 0 made, 2 usage, a file that is there already (--force replaces it), or one that can't be read.
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
  openapi = Option.String("--openapi", { description: "OpenAPI or Swagger file to make journeys from" });
  resource = Option.Array("--resource", [], {
    description: "Only this resource, by its name or path; repeat it",
  });
  list = Option.Boolean("--list", { description: "List the resources, and make nothing" });
  template = Option.String("--template", { description: "Journey to start from" });
  variantOf = Option.String("--variant-of", { description: "Journey to make an overlay for" });
  url = Option.String("--url", { description: "What the one step of an empty journey calls" });
  title = Option.String("--title", { description: "Title (default: from the file's name)" });
  force = Option.Boolean("--force", { description: "Replace files that are there" });
  json = Option.Boolean("--json", { description: "Print one JSON object" });

  override async run(): Promise<number> {
    const { newJourney } = await import("./new/new-journey.ts");
    return newJourney(this.context, this);
  }
}
