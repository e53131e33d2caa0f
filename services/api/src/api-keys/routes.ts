import type { Serve } from "../lib/serve.ts";
import { registerCreateKeyRoute } from "./create-route.ts";
import { registerDisableKeyRoutes } from "./disable-routes.ts";
import { registerReadKeyRoutes } from "./read-routes.ts";
import { registerRevokeKeysRoute } from "./revoke-keys-route.ts";
import { registerRevokeKeyRoutes } from "./revoke-routes.ts";
import { registerRotateKeyRoute } from "./rotate-route.ts";
import type { KeyRouteDependencies } from "./route-definitions.ts";

export function registerApiKeyRoutes(serve: Serve, dependencies: KeyRouteDependencies): void {
  registerReadKeyRoutes(serve, dependencies);
  registerCreateKeyRoute(serve, dependencies);
  registerRotateKeyRoute(serve, dependencies);
  registerDisableKeyRoutes(serve, dependencies);
  registerRevokeKeyRoutes(serve, dependencies);
  registerRevokeKeysRoute(serve, dependencies);
}
