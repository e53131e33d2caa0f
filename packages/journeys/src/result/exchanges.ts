import type { EarlierExchange, Evidence, Exchange } from "./result-model.ts";

/** Returns the evidence of a step with each of its exchanges changed: that of the last attempt, and those of earlier ones. */
export function mapExchanges(
  { earlier, ...last }: Evidence,
  change: (exchange: Exchange) => Exchange,
): Evidence {
  if (earlier === undefined) return change(last);
  return {
    ...change(last),
    earlier: earlier.map(({ attempt, ...exchange }): EarlierExchange => ({ ...change(exchange), attempt })),
  };
}

/** Returns the exchanges of a step in the order in which they were sent. */
export function exchangesOf({ earlier = [], ...last }: Evidence): Exchange[] {
  return [...earlier, last];
}

/** Returns evidence without the bodies of its messages. */
export function withoutBodies(evidence: Evidence): Evidence {
  return mapExchanges(evidence, ({ request, response, ...rest }) => {
    const { body: asked, ...asking } = request;
    const isCut = asked !== undefined || response?.body !== undefined;
    const exchange: Exchange = { ...rest, request: asking, truncated: rest.truncated || isCut };
    if (response === undefined) return exchange;
    const { body: _, ...answering } = response;
    return { ...exchange, response: answering };
  });
}

/** Returns the exchange of the last attempt alone. */
export function withoutEarlier({ earlier, ...last }: Evidence): Evidence {
  return earlier === undefined ? last : { ...last, truncated: true };
}
