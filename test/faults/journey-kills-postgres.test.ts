import { testJourneyKills } from "./support/journey-kills.ts";

testJourneyKills({ queue: "postgres", first: ["worker", "postgres", "api", "process of a run"] });
