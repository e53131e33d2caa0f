import { testJourneyKills } from "./support/journey-kills.ts";

testJourneyKills({ queue: "redis", first: ["redis", "worker"] });
