import { BaseCommand } from "./base-command.ts";
import {
  allowHostOption,
  allowHttpOption,
  apiUrlOption,
  certificateOption,
  configOption,
} from "./shared-options.ts";

/** The options that name a server and how to reach it. */
export abstract class ServerCommand extends BaseCommand {
  apiUrl = apiUrlOption();
  caCert = certificateOption();
  allowHost = allowHostOption();
  allowHttp = allowHttpOption();
  override config = configOption();
}
