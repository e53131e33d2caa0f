import { Command, Option } from "clipanion";
import { BaseCommand } from "../app/base-command.ts";

/** `waymark flush`. */
export class FlushCommand extends BaseCommand {
  static override paths = [["flush"]];

  static override usage = Command.Usage({
    description: "Send the scans that waymark scan --spool kept.",
    details: `
      Sends the oldest first, each with the time it was made, so that none becomes current over a newer scan, and with
      its own Idempotency-Key, so that none is stored twice. What was sent leaves the folder.

      Exit codes: 0 all sent, 2 a scan was refused, 3 authentication or permission, 4 server or network.
    `,
    examples: [["Send what is there", "$0 flush --spool .waymark-spool"]],
  });

  spool = Option.String("--spool", { description: "Folder with the scans" });
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
    const { runFlush } = await import("./flush/run-flush.ts");
    return runFlush(this.context, this);
  }
}
