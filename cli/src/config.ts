/** The environment variables that the command reads, unchecked. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The process's own environment. The only place that reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

/** Where a scan goes when nothing says otherwise: `npm start`'s own address. */
const DEFAULT_API_URL = "http://127.0.0.1:3000";

/**
 * The server's address: option over environment (SERVICE_API_URL over SERVICE_BASE_URL) over file over default. An
 * empty value counts as none, because that is how CI systems pass a variable that is not set.
 */
export function apiUrlFrom(
  option: string | undefined,
  environment: Environment,
  fromFile: string | undefined,
): string {
  return (
    given(option) ??
    given(environment["SERVICE_API_URL"]) ??
    given(environment["SERVICE_BASE_URL"]) ??
    given(fromFile) ??
    DEFAULT_API_URL
  );
}

/** The value without surrounding white space (a secret from a file ends in a newline), or undefined when empty. */
export function given(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === "" ? undefined : trimmed;
}
