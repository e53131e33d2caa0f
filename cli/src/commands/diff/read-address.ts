import { getAddress } from "../../http/get.ts";
import type { HttpResponse } from "../../http/send.ts";
import { type ConnectionFlags, readCertificate } from "../../framework/connection-flags.ts";
import type { CliContext } from "../../framework/context.ts";
import { CliError, EXIT_CODES, usageError } from "../../lib/cli-error.ts";
import { destinationFrom } from "../../lib/config.ts";
import { isLoopback } from "../../lib/loopback.ts";
import { printable } from "../../lib/text.ts";
import { LOCAL_SPEC_BYTES_MAX } from "../../openapi/read-source.ts";
import { shownAddress } from "./find-source.ts";

const REDIRECTS_MAX = 5;

/**
 * Reads a description from an address, if --allow-url allows it. Sends no key and no other credentials. A redirect is followed on the
 * same host only.
 *
 * @throws {CliError} with the address, without its query
 */
export async function readAddress(
  { cwd, env, times }: CliContext,
  url: URL,
  flags: ConnectionFlags & { allowUrl: boolean | undefined },
): Promise<Buffer> {
  const shown = printable(shownAddress(url), 200);
  if (flags.allowUrl !== true)
    throw usageError(`${shown} is an address: pass --allow-url to read it over the network.`);
  if (url.username !== "" || url.password !== "")
    throw usageError(`The address ${shown} has a user or a password, which is not sent: download the file.`);
  const { allowHttp } = destinationFrom(flags, env, undefined);
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !allowHttp)
    throw usageError(
      `${shown} is not read over http://: anybody on the way could change it. Use https://, or pass --allow-http on a network that you trust.`,
    );
  const extraCa = await readCertificate(cwd, flags.caCert);
  let next = url;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const response = await getAddress({
      url: next,
      headers: { accept: "application/json, application/yaml, text/*;q=0.9" },
      env,
      times,
      extraCa,
      responseBytesMax: LOCAL_SPEC_BYTES_MAX,
      failure: `Reading ${printable(shownAddress(next), 200)} failed`,
    });
    if (response.status === 200) return response.body;
    next = redirectOf(response, next);
  }
  throw new CliError(
    EXIT_CODES.unavailable,
    `Reading ${shown} failed: more than ${REDIRECTS_MAX} redirects.`,
  );
}

/** Returns the address of a redirect on the same host. @throws {CliError} for any other response */
function redirectOf({ status, headers }: HttpResponse, from: URL): URL {
  const shown = printable(shownAddress(from), 200);
  const { location } = headers;
  if (status < 300 || status > 399 || location === undefined || !URL.canParse(location, from.href)) {
    const code = status >= 500 || status === 429 ? EXIT_CODES.unavailable : EXIT_CODES.usage;
    throw new CliError(code, `Reading ${shown} failed: HTTP ${status}.`);
  }
  const to = new URL(location, from);
  if (to.origin === from.origin) return to;
  throw usageError(
    `${shown} redirects to another host, ${printable(shownAddress(to), 200)}, which is not followed: pass that address if you trust it.`,
  );
}
