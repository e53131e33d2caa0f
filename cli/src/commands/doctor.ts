import { Command, Option } from "clipanion";
import { BaseCommand } from "../app/base-command.ts";

/** `waymark doctor`. */
export class DoctorCommand extends BaseCommand {
  static override paths = [["doctor"]];

  static override usage = Command.Usage({
    description: "Check whether a scan would work from here, and say what is in the way.",
    details: `
      Checks the server's address and proxy, that it answers, its clock, the API key with its expiry, and whether that
      key may scan the service. Sends no scan.

      Exit codes: 0 all is well, otherwise as waymark scan would end.
    `,
    examples: [["Before the first scan of a pipeline", "$0 doctor --service orders"]],
  });

  service = Option.String("--service", { description: "Name of the service that is to be scanned" });
  apiKey = Option.String("--api-key", {
    description: "Scoped API key (or SERVICE_API_KEY); - for standard input",
  });
  apiKeyFile = Option.String("--api-key-file", {
    description: "File with the API key; - for standard input",
  });
  apiUrl = Option.String("--api-url", {
    description:
      "Address of the server (or SERVICE_API_URL, SERVICE_BASE_URL; default http://127.0.0.1:3000)",
  });
  caCert = Option.String("--ca-cert", {
    description: "PEM file with certificates to trust besides the usual ones",
  });
  allowHost = Option.Array("--allow-host", [], {
    description:
      "Send the key to this host although waymark.yaml names it; repeat it (or WAYMARK_ALLOWED_HOSTS, comma-separated)",
  });
  allowHttp = Option.Boolean("--allow-http", {
    description: "Send the key unencrypted to another machine (or WAYMARK_ALLOW_HTTP=true)",
  });

  override async run(): Promise<number> {
    const { runDoctor } = await import("./doctor/run-doctor.ts");
    return runDoctor(this.context, this);
  }
}
