import type { Serve } from "../lib/serve.ts";
import { registerJourneyBindingRoutes } from "./binding-routes.ts";
import { registerJourneyChangeRoutes } from "./change-routes.ts";
import { registerChangesetRoute } from "./changeset-route.ts";
import { registerJourneyCheckRoutes } from "./check-routes.ts";
import { registerJourneyReadRoutes } from "./read-routes.ts";
import type { JourneyRouteDependencies } from "./route-definitions.ts";

export function registerJourneyRoutes(serve: Serve, dependencies: JourneyRouteDependencies): void {
  registerChangesetRoute(serve, dependencies);
  registerJourneyReadRoutes(serve, dependencies);
  registerJourneyChangeRoutes(serve, dependencies);
  registerJourneyCheckRoutes(serve, dependencies);
  registerJourneyBindingRoutes(serve, dependencies);
}
