import type { Serve } from "../lib/serve.ts";
import { registerChangeEnvironmentRoutes } from "./change-routes.ts";
import { registerReadEnvironmentRoutes } from "./read-routes.ts";
import { registerReleaseRoutes } from "./release-routes.ts";
import type { EnvironmentRouteDependencies } from "./route-definitions.ts";
import { registerSecretRoutes } from "./secret-routes.ts";

export function registerEnvironmentRoutes(serve: Serve, dependencies: EnvironmentRouteDependencies): void {
  registerReadEnvironmentRoutes(serve, dependencies);
  registerChangeEnvironmentRoutes(serve, dependencies);
  registerSecretRoutes(serve, dependencies);
  registerReleaseRoutes(serve, dependencies);
}
