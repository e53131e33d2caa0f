import { sql } from "slonik";

/** The day of the database's clock, in UTC. */
export const TODAY = sql.fragment`(now() AT TIME ZONE 'UTC')::date`;
