import type { ZodApp } from "../lib/zod-routes.ts";
import { registerChangeScheduleRoutes } from "./change-routes.ts";
import { registerReadScheduleRoutes } from "./read-routes.ts";
import type { ScheduleRouteDependencies } from "./route-definitions.ts";

export function registerJourneyScheduleRoutes(app: ZodApp, dependencies: ScheduleRouteDependencies): void {
  registerReadScheduleRoutes(app, dependencies);
  registerChangeScheduleRoutes(app, dependencies);
}
