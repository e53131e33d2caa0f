import { usageError } from "./cli-error.ts";

/** The environment variables that the command reads, unchecked. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The process's environment. No other module reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

/** The default address, that of `npm start`. */
const DEFAULT_API_URL = "http://127.0.0.1:3000";

/** The address that a command sends its key to, and what the operator allows. */
export interface Destination {
  /** The server's address, as it was given. */
  apiUrl: string;
  /**
   * A pull request can change a file of the checkout, and can also remove the address from it. So if hosts are named, the
   * default address must be among them.
   */
  chosenBy: "operator" | "file" | "default";
  /** Hosts as they were given: `host` or `host:port`. */
  allowedHosts: readonly string[];
  /** True if the key may go over http:// to other machines. */
  allowHttp: boolean;
}

/** The options for the address. */
export interface DestinationFlags {
  apiUrl: string | undefined;
  allowHost: readonly string[];
  allowHttp: boolean | undefined;
}

/**
 * The server's address: option over environment (SERVICE_API_URL over SERVICE_BASE_URL) over file over default. An
 * empty value counts as none, because that is how CI systems pass a variable that is not set.
 */
export function destinationFrom(
  flags: DestinationFlags,
  environment: Environment,
  fromFile: string | undefined,
): Destination {
  const named =
    given(flags.apiUrl) ?? given(environment["SERVICE_API_URL"]) ?? given(environment["SERVICE_BASE_URL"]);
  const inFile = given(fromFile);
  const allowed = [...flags.allowHost, ...(environment["WAYMARK_ALLOWED_HOSTS"] ?? "").split(",")];
  const allowedHosts = allowed.map((host) => host.trim()).filter((host) => host !== "");
  const isOperators = named !== undefined || (inFile === undefined && allowedHosts.length === 0);
  return {
    apiUrl: named ?? inFile ?? DEFAULT_API_URL,
    chosenBy: isOperators ? "operator" : inFile === undefined ? "default" : "file",
    allowedHosts,
    allowHttp: flags.allowHttp ?? switchedOn(environment, "WAYMARK_ALLOW_HTTP"),
  };
}

/** True if a ruleset's plugins, which are code, may run. */
export function pluginsAllowed(flag: boolean | undefined, environment: Environment): boolean {
  return flag ?? switchedOn(environment, "WAYMARK_ALLOW_PLUGINS");
}

/** Variables with a build's token, or with what requests one. */
export const IDENTITY_SECRETS = ["WAYMARK_ID_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"] as const;

/**
 * Removes the key, and the environment's key if another was given, from the environment and the command line of this process,
 * under any name, so that code which runs in the process afterwards doesn't find them by accident. It is not a security
 * boundary: such code can read the memory.
 */
export function hideKey(environment: Environment, key: string | undefined): void {
  const names = ["SERVICE_API_KEY", ...IDENTITY_SECRETS];
  const keys = [key, ...names.map((name) => given(environment[name]))].filter((each) => each !== undefined);
  // A text that is too short for a key would match unrelated variables.
  const holdsKey = (text = ""): boolean =>
    keys.some((each) => text === each || (each.length >= 8 && text.includes(each)));
  for (const variables of new Set([environment, process.env])) {
    for (const [name, value] of Object.entries(variables)) {
      if (holdsKey(value)) Reflect.deleteProperty(variables, name);
    }
  }
  process.argv = process.argv.map((argument) => (holdsKey(argument) ? "[hidden]" : argument));
}

/** @throws {CliError} for values other than true, false, 1, 0 and empty */
function switchedOn(environment: Environment, name: string): boolean {
  const value = given(environment[name])?.toLowerCase() ?? "false";
  if (!["true", "false", "1", "0"].includes(value)) throw usageError(`${name} must be true or false.`);
  return value === "true" || value === "1";
}

/** The value without surrounding white space (a secret from a file ends in a newline), or undefined when empty. */
export function given(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === "" ? undefined : trimmed;
}
