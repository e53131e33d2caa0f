import { useBrowserLocation } from "wouter/use-browser-location";
import { addressOf, pathOfAddress } from "./base-path.ts";

/**
 * Returns the location for the router: paths as the console's pages have them, whatever path the server is below. The router's own base would
 * also be put before addresses such as `?tab=runs`, and lead to another page.
 */
export function useConsoleLocation(): ReturnType<typeof useBrowserLocation> {
  const [pathname, navigate] = useBrowserLocation();
  const go: typeof navigate = (to, ...options) =>
    navigate(typeof to === "string" ? addressOf(to) : to, ...options);
  return [pathOfAddress(pathname), go];
}
