import type { ZodApp } from "../lib/zod-routes.ts";
import { registerCreateKeyRoute } from "./create-route.ts";
import { registerDisableKeyRoutes } from "./disable-routes.ts";
import { registerReadKeyRoutes } from "./read-routes.ts";
import { registerRevokeKeysRoute } from "./revoke-keys-route.ts";
import { registerRevokeKeyRoutes } from "./revoke-routes.ts";
import { registerRotateKeyRoute } from "./rotate-route.ts";
import type { KeyRouteDependencies } from "./route-definitions.ts";

export function registerApiKeyRoutes(app: ZodApp, dependencies: KeyRouteDependencies): void {
  registerReadKeyRoutes(app, dependencies);
  registerCreateKeyRoute(app, dependencies);
  registerRotateKeyRoute(app, dependencies);
  registerDisableKeyRoutes(app, dependencies);
  registerRevokeKeyRoutes(app, dependencies);
  registerRevokeKeysRoute(app, dependencies);
}
