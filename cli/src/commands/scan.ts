import { Command, Option } from "clipanion";
import { BaseCommand } from "../app/base-command.ts";

/** `waymark scan`. Light on purpose: what the command needs is loaded when it runs, so that `--help` is fast. */
export class ScanCommand extends BaseCommand {
  static override paths = [["scan"]];

  static override usage = Command.Usage({
    description: "Read an OpenAPI file and submit its endpoints as a scan.",
    details: `
      Reads OpenAPI 3.0, 3.1, 3.2 or Swagger 2.0, as JSON or YAML. Local files that paths refer to with \`$ref\` are
      read too, within the folder of the spec; nothing is ever fetched over the network.

      On success it prints three lines: the scan run's id, the address of its result, and its counts.

      Exit codes: 0 accepted, 2 usage or spec, 3 authentication or permission, 4 server or network.
    `,
    examples: [
      [
        "Scan a file, with the key from the environment (SERVICE_API_KEY)",
        "$0 scan --service orders --spec openapi.yaml",
      ],
      [
        "Name the server and the key",
        "$0 scan --service orders --spec openapi.json --api-url https://waymark.example.com --api-key wmk_…",
      ],
      ["Read the spec from another command", "generate-openapi | $0 scan --service orders --spec -"],
    ],
  });

  service = Option.String("--service", { description: "Name of the service to create or update" });
  spec = Option.String("--spec", { description: "Local OpenAPI file, JSON or YAML; - for standard input" });
  apiKey = Option.String("--api-key", { description: "Scoped API key (or SERVICE_API_KEY)" });
  apiUrl = Option.String("--api-url", {
    description:
      "Address of the server (or SERVICE_API_URL, SERVICE_BASE_URL; default http://127.0.0.1:3000)",
  });

  override async run(): Promise<number> {
    const { runScan } = await import("./scan/run-scan.ts");
    return runScan(this.context, {
      service: this.service,
      spec: this.spec,
      apiKey: this.apiKey,
      apiUrl: this.apiUrl,
    });
  }
}
