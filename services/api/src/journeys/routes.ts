import type { ZodApp } from "../lib/zod-routes.ts";
import { registerJourneyBindingRoutes } from "./binding-routes.ts";
import { registerJourneyChangeRoutes } from "./change-routes.ts";
import { registerChangesetRoute } from "./changeset-route.ts";
import { registerJourneyCheckRoutes } from "./check-routes.ts";
import { registerJourneyReadRoutes } from "./read-routes.ts";
import type { JourneyRouteDependencies } from "./route-definitions.ts";

export function registerJourneyRoutes(app: ZodApp, dependencies: JourneyRouteDependencies): void {
  registerChangesetRoute(app, dependencies);
  registerJourneyReadRoutes(app, dependencies);
  registerJourneyChangeRoutes(app, dependencies);
  registerJourneyCheckRoutes(app, dependencies);
  registerJourneyBindingRoutes(app, dependencies);
}
