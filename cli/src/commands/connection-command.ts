import { Option } from "clipanion";
import { BaseCommand } from "../app/base-command.ts";
import { certificateOption } from "./shared-options.ts";

/** The options of every command that talks to a Waymark server. */
export abstract class ConnectionCommand extends BaseCommand {
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
  caCert = certificateOption();
  allowHost = Option.Array("--allow-host", [], {
    description:
      "Send the key to this host although waymark.yaml names it; repeat it (or WAYMARK_ALLOWED_HOSTS, comma-separated)",
  });
  allowHttp = Option.Boolean("--allow-http", {
    description: "Send the key unencrypted to another machine (or WAYMARK_ALLOW_HTTP=true)",
  });
}
