import type { Page, Request, Route } from "playwright-core";

export interface HeldRequests {
  held: readonly Route[];
  /** The first one that is held has come. */
  begun: Promise<void>;
  /** Continues the held ones, and holds no others. */
  letGo: () => Promise<void>;
}

/**
 * Holds a page's requests to an address until it is told to let them go.
 *
 * @param isHeld which of them; all, if it is left out
 */
export async function holdRequests(
  page: Page,
  address: string | RegExp,
  isHeld: (request: Request) => boolean = () => true,
): Promise<HeldRequests> {
  const held: Route[] = [];
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  await page.route(address, (route) => {
    if (isOver || !isHeld(route.request())) return route.continue();
    held.push(route);
    resolve();
    return undefined;
  });
  return {
    held,
    begun,
    letGo: async () => {
      isOver = true;
      await Promise.all(held.map((route) => route.continue()));
    },
  };
}
