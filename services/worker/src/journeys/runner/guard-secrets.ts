import { isOnHostList } from "@waymark/journey-transport/host-patterns.ts";
import type { OpenedSecret } from "@waymark/server/environments/secrets/secrets.ts";
import { readingsOf } from "@waymark/journeys/expressions/bytes.ts";
import { createRedactor } from "@waymark/journeys/secrets/redact.ts";
import { givenTexts } from "@waymark/journeys/secrets/shield.ts";
import { TransportError } from "@waymark/journeys/run/transport.ts";
import type { Transport, TransportRequest } from "@waymark/journeys/run/transport.ts";

/** Refuses a request with a secret in it, in any of its forms or in what functions made of it, to a host that the secret is not for. */
export function guardSecrets(
  transport: Transport,
  secrets: Readonly<Record<string, OpenedSecret>>,
): Transport {
  const entries = Object.entries(secrets);
  if (entries.length === 0) return transport;
  return (request) => {
    const foreign = entries.filter(([, { hosts }]) => !isOnHostList(request.url, hosts));
    if (foreign.length === 0) return transport(request);
    const text = textOf(request);
    for (const [name, { value }] of foreign) {
      const redactor = createRedactor(givenTexts(value));
      redactor.clean(text);
      if (redactor.count() === 0) continue;
      const message = `The secret ${name} is not for ${request.url.host}: add the host to the secret's.`;
      return Promise.reject(new TransportError("forbidden", message));
    }
    return transport(request);
  };
}

function textOf({ url, headers, body, madeOf = [] }: TransportRequest): string[] {
  const sent = typeof body === "object" ? readingsOf(body) : [body ?? ""];
  return [url.href, ...headers.flat(), ...sent, ...madeOf];
}
