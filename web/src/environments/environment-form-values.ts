import { hostsOf } from "@waymark/shared/environments/hosts/schema.ts";
import { type Environment, EnvironmentRequest } from "@waymark/shared/environments/schema.ts";

/** The settings as people write them. */
export interface EnvironmentFormValues {
  name: string;
  /** A line for each source: `orders=https://orders.example.com`. */
  servers: string;
  /** The hosts that runs may call; empty for the hosts of the servers. */
  allowedHosts: string[];
  /** JSON objects; empty for none. */
  inputs: string;
  variables: string;
  protected: boolean;
  storesBodies: boolean;
}

export const NEW_ENVIRONMENT: EnvironmentFormValues = {
  name: "",
  servers: "",
  allowedHosts: [],
  inputs: "",
  variables: "",
  protected: false,
  storesBodies: true,
};

export function valuesOf(environment: Environment): EnvironmentFormValues {
  const { servers, allowedHosts } = environment;
  const areDefault = hostsOf(servers).join() === [...allowedHosts].toSorted().join();
  return {
    name: environment.name,
    servers: Object.entries(servers)
      .map(([source, url]) => `${source}=${url}`)
      .join("\n"),
    allowedHosts: areDefault ? [] : [...allowedHosts],
    inputs: toJson(environment.inputs),
    variables: toJson(environment.variables),
    protected: environment.protected,
    storesBodies: environment.storesBodies,
  };
}

function toJson(value: object): string {
  return Object.keys(value).length === 0 ? "" : JSON.stringify(value, null, 2);
}

export type FieldProblems = Partial<Record<keyof EnvironmentFormValues, string>>;

/** Returns the request, or the problems by field. */
export function readForm(
  values: EnvironmentFormValues,
): { request: EnvironmentRequest; problems?: never } | { request?: never; problems: FieldProblems } {
  const problems: FieldProblems = {};
  const given = {
    name: values.name.trim(),
    servers: attempt(problems, "servers", () => readLines(values.servers)),
    inputs: attempt(problems, "inputs", () => readObject(values.inputs)),
    variables: attempt(problems, "variables", () => readObject(values.variables)),
    ...(values.allowedHosts.length === 0 ? {} : { allowedHosts: values.allowedHosts }),
    protected: values.protected,
    storesBodies: values.storesBodies,
  };
  const { data, error } = EnvironmentRequest.safeParse(given);
  for (const { path, message } of error?.issues ?? []) {
    const [field, ...rest] = path.map(String);
    const where = rest.length === 0 ? "" : `${rest.join(".")} `;
    if (isField(field)) problems[field] ??= `${where}${message}`;
  }
  return data === undefined || Object.keys(problems).length > 0 ? { problems } : { request: data };
}

function isField(name: string | undefined): name is keyof EnvironmentFormValues {
  return name !== undefined && Object.hasOwn(NEW_ENVIRONMENT, name);
}

/** Returns the result of `read`. If `read` throws, adds the problem to the field and returns undefined. */
function attempt<T>(
  problems: FieldProblems,
  field: keyof EnvironmentFormValues,
  read: () => T,
): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnreadableField)) throw error;
    problems[field] = error.message;
    return undefined;
  }
}

class UnreadableField extends Error {
  override readonly name = "UnreadableField";
}

function readLines(text: string): Record<string, string> {
  const servers = new Map<string, string>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const equals = line.indexOf("=");
    const source = line.slice(0, Math.max(equals, 0)).trim();
    if (source === "")
      throw new UnreadableField(`Line ${index + 1}: write the source, = and its address, as in the example.`);
    if (servers.has(source)) throw new UnreadableField(`Line ${index + 1}: ${source} is there twice.`);
    servers.set(source, line.slice(equals + 1).trim());
  }
  return Object.fromEntries(servers);
}

function readObject(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UnreadableField(`This is not JSON: ${why}`, { cause: error });
  }
}
