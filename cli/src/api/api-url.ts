import { usageError } from "../lib/cli-error.ts";
import { printable } from "../lib/text.ts";

/** Characters that are always escaped in an address: white space, control characters, quotes, angle brackets, backslash. */
const UNUSUAL = /[\s"<>\\^`{|}\p{Cc}\p{Cf}\p{Cs}]/u;

/**
 * Parses the address of a server.
 * @throws {CliError} for an address that is none, or that has a user, a password, a query or a fragment
 */
export function parseApiUrl(apiUrl: string): URL {
  const shown = printable(apiUrl, 200);
  // The URL parser drops line breaks and tabs, so the message would show another address than the request uses.
  const url = !UNUSUAL.test(apiUrl) && URL.canParse(apiUrl) ? new URL(apiUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError(`--api-url must be an http:// or https:// address, and is "${shown}".`);
  }
  if (url.username !== "" || url.password !== "") {
    throw usageError(
      "--api-url must not contain a user name or password: requests are authenticated with the API key only.",
    );
  }
  if (url.search !== "" || url.hash !== "") {
    throw usageError(`--api-url must be a base address, without "?" and "#": "${shown}".`);
  }
  return url;
}
