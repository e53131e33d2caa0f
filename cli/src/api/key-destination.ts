import type { Destination } from "../lib/config.ts";
import { usageError } from "../lib/cli-error.ts";
import { isLoopback } from "../lib/loopback.ts";
import { printable } from "../lib/text.ts";

/**
 * Refuses to send a key to an address from a file of the checkout, which a pull request can change, unless the operator
 * allowed that host, and to send it unencrypted to another machine.
 * @throws {CliError} with the host and what to do
 */
export function checkDestination(url: URL, destination: Destination): void {
  const { chosenBy, allowedHosts, allowHttp } = destination;
  const allowed = allowedHosts.map(parseHost);
  const host = printable(url.host, 200);
  // Loopback too: a pull request can also start a server on the machine that builds it.
  if (chosenBy !== "operator" && !allowed.some((entry) => isSameHost(url, entry))) {
    const why =
      chosenBy === "file"
        ? "that address comes from waymark.yaml, which a pull request can change"
        : "no address is given, and the default one is none of the allowed hosts";
    throw usageError(`The API key is not sent to ${host}: ${why}.`, {
      details: [
        "Give the address with --api-url or SERVICE_API_URL,",
        `or allow this host with --allow-host ${host} or WAYMARK_ALLOWED_HOSTS=${host}.`,
      ],
    });
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !allowHttp) {
    throw usageError(
      `The API key is not sent to ${host} over http://: everybody on the way could read it. Use https://.`,
      { details: ["On a network that you trust, pass --allow-http or set WAYMARK_ALLOW_HTTP=true."] },
    );
  }
}

interface AllowedHost {
  hostname: string;
  /** Undefined for the usual port of the address's scheme. */
  port: string | undefined;
}

function parseHost(entry: string): AllowedHost {
  const [, host = "", port] = /^(\[[0-9a-f:.]+\]|[^\s/:@?#*[\]\\]+)(?::(\d{1,5}))?$/i.exec(entry) ?? [];
  const url = `http://${host}`;
  if (host === "" || !URL.canParse(url)) {
    throw usageError(
      `--allow-host and WAYMARK_ALLOWED_HOSTS take host or host:port, such as waymark.example.com, and not "${printable(entry, 100)}".`,
    );
  }
  return { hostname: new URL(url).hostname, port: port === undefined ? undefined : String(Number(port)) };
}

function isSameHost(url: URL, allowed: AllowedHost): boolean {
  const usual = url.protocol === "https:" ? "443" : "80";
  const port = url.port === "" ? usual : url.port;
  return url.hostname === allowed.hostname && port === (allowed.port ?? usual);
}
