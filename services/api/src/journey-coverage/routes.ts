import type { ZodApp } from "../lib/zod-routes.ts";
import { registerCallerRoutes } from "./caller-routes.ts";
import { registerCoverageRoute } from "./coverage-route.ts";
import type { CoverageRouteDependencies } from "./route-definitions.ts";

export function registerJourneyCoverageRoutes(app: ZodApp, dependencies: CoverageRouteDependencies): void {
  registerCoverageRoute(app, dependencies);
  registerCallerRoutes(app, dependencies);
}
