import type { ClientRequest } from "node:http";
import { TransportError } from "@waymark/journeys/run/transport.ts";
import { createHttpTransport } from "@waymark/journey-transport/http-transport.ts";
import type { HttpTransport, HttpTransportOptions } from "@waymark/journey-transport/http-transport.ts";
import type { CliContext } from "../../../framework/context.ts";
import { proxyAuthorization, proxyFor } from "../../../http/proxy.ts";
import { readCertificate } from "../../../framework/connection-flags.ts";

/** The network settings of the command line: proxies of the environment, further certificates, no private addresses. */
export async function openTransport(
  context: Pick<CliContext, "cwd" | "env">,
  options: { caCert: string | undefined; forbidPrivate: boolean | undefined },
): Promise<HttpTransport> {
  const settings: HttpTransportOptions = {
    // A user may test a virtual host on a local server.
    allowHostHeader: options.forbidPrivate !== true,
    proxyFor: (url) => proxyFor(url, context.env),
    proxyAuthorization,
    tunnelThrough: async (proxy, { ca }) => {
      const { HttpsProxyAgent } = await import("https-proxy-agent");
      const agent = new HttpsProxyAgent(proxy, { keepAlive: true, ...(ca === undefined ? {} : { ca }) });
      // Otherwise the proxy's refusal would count as the target's response.
      agent.on("proxyConnect", ({ statusCode }: { statusCode: number }, request: ClientRequest) => {
        if (statusCode === 200) return;
        const message = `The proxy opens no way to the target: it answered ${statusCode}.`;
        request.destroy(new TransportError("unreachable", message));
      });
      return agent;
    },
  };
  const extraCa = await readCertificate(context.cwd, options.caCert);
  if (extraCa !== undefined) settings.extraCa = extraCa;
  if (options.forbidPrivate === true) {
    const { refusePrivate } = await import("@waymark/journey-transport/private-addresses.ts");
    settings.allowsAddress = (address) => refusePrivate(address, "--forbid-private refuses it.");
  }
  return createHttpTransport(settings);
}
