import type { Serve } from "../lib/serve.ts";
import { registerCallerRoutes } from "./caller-routes.ts";
import { registerCoverageRoute } from "./coverage-route.ts";
import type { CoverageRouteDependencies } from "./route-definitions.ts";

export function registerJourneyCoverageRoutes(serve: Serve, dependencies: CoverageRouteDependencies): void {
  registerCoverageRoute(serve, dependencies);
  registerCallerRoutes(serve, dependencies);
}
