import { BaseCommand } from "./base-command.ts";
import {
  allowHostOption,
  allowHttpOption,
  apiKeyFileOption,
  apiKeyOption,
  apiUrlOption,
  certificateOption,
  configOption,
} from "./shared-options.ts";

/** The options of every command that talks to a Waymark server. */
export abstract class ConnectionCommand extends BaseCommand {
  apiKey = apiKeyOption();
  apiKeyFile = apiKeyFileOption();
  apiUrl = apiUrlOption();
  caCert = certificateOption();
  allowHost = allowHostOption();
  allowHttp = allowHttpOption();
  override config = configOption();
}
