import type { Serve } from "../lib/serve.ts";
import { registerChangeScheduleRoutes } from "./change-routes.ts";
import { registerReadScheduleRoutes } from "./read-routes.ts";
import type { ScheduleRouteDependencies } from "./route-definitions.ts";

export function registerJourneyScheduleRoutes(serve: Serve, dependencies: ScheduleRouteDependencies): void {
  registerReadScheduleRoutes(serve, dependencies);
  registerChangeScheduleRoutes(serve, dependencies);
}
