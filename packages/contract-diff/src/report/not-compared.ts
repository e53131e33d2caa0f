import { ownString } from "@waymark/openapi/json.ts";
import type { Description } from "../read/description.ts";
import type { Position } from "../verdict.ts";
import { locatePositions } from "./locate-verdicts.ts";

/** A part of the head that was not compared. */
export interface NotCompared {
  /** Says what, and why. */
  message: string;
  place: Position | undefined;
}

const DIALECTS = /^https:\/\/(?:spec\.openapis\.org\/oas\/3\.\d+\/|json-schema\.org\/draft\/2020-12\/)/;

/** Lists what could not be read: nothing is known about its changes. */
export function listNotCompared(head: Description, reasons: readonly string[]): NotCompared[] {
  const dialect = ownString(head.root, "jsonSchemaDialect");
  const isForeign = dialect !== undefined && !DIALECTS.test(dialect);
  const places = new Map<string, Position>(head.placesOfReferences(head.missing));
  locatePositions([...places.values()], head);
  return [
    ...[...head.missing].map((reference) => ({
      message: `the reference "${reference}" leads nowhere, or to a file that is not read`,
      place: places.get(reference),
    })),
    ...(isForeign ? [{ message: `keywords that only the dialect ${dialect} has`, place: undefined }] : []),
    ...reasons.map((message) => ({ message, place: undefined })),
  ];
}
