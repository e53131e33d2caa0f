import type { ZodApp } from "../lib/zod-routes.ts";
import { registerChangeEnvironmentRoutes } from "./change-routes.ts";
import { registerReadEnvironmentRoutes } from "./read-routes.ts";
import { registerReleaseRoutes } from "./release-routes.ts";
import type { EnvironmentRouteDependencies } from "./route-definitions.ts";
import { registerSecretRoutes } from "./secret-routes.ts";

export function registerEnvironmentRoutes(app: ZodApp, dependencies: EnvironmentRouteDependencies): void {
  registerReadEnvironmentRoutes(app, dependencies);
  registerChangeEnvironmentRoutes(app, dependencies);
  registerSecretRoutes(app, dependencies);
  registerReleaseRoutes(app, dependencies);
}
