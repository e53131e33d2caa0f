import { may, type PlainScope } from "./rule.ts";
import { type DecisionOrganization, LETTERS, type Letter } from "./organization.ts";

type IsReadable = (scopes: readonly PlainScope[]) => boolean;

/** An id or a name of the world, and whether a key with these scopes may learn it. */
export interface Reader {
  text: string;
  isReadable: IsReadable;
}

/** Every id and name of the world. A key may also learn what it may change, because the response of a change shows it. */
export function readersOf(world: DecisionOrganization): Reader[] {
  const { pairs, things } = world;
  const of = LETTERS.flatMap((letter) => [...ofService(world, letter), ...ofJourney(world, letter)]);
  const ofPairs = pairs.flatMap(({ journey, environment, runId, scheduleId }) => {
    const isReadable: IsReadable = (scopes) => mayOnRun(scopes, RUN, { things, journey, environment });
    return all([runId, scheduleId, `sch${journey}${environment}`], isReadable);
  });
  const overlay: IsReadable = (scopes) => may(scopes, "journeys:read", { listOf: ["workflow"] });
  return [...of, ...ofPairs, ...all(["ovlbirch"], overlay)];
}

const all = (texts: readonly string[], isReadable: IsReadable): Reader[] =>
  texts.map((text) => ({ text, isReadable }));

const DOCUMENT = ["journeys:read", "journeys:write"];
const RUN = ["journeys:read", "journeys:run", "journeys:schedule"];

function mayOnRun(
  scopes: readonly PlainScope[],
  permissions: readonly string[],
  {
    things,
    journey,
    environment,
  }: Pick<DecisionOrganization, "things"> & { journey: Letter; environment: Letter },
): boolean {
  const both = { workflow: things[journey].journeyId, environment: things[environment].environmentId };
  return permissions.some((permission) => may(scopes, permission, both));
}

const mayOnDocument = (scopes: readonly PlainScope[], workflow: string) =>
  DOCUMENT.some((permission) => may(scopes, permission, { workflow }));

function ofService(world: DecisionOrganization, letter: Letter): Reader[] {
  const { serviceId, scanRunId, descriptionId, apiKeyId, commentId, runCommentId } = world.things[letter];
  const resource = { service: { id: serviceId, name: `svc${letter}` } };
  const service: IsReadable = (scopes) =>
    ["services:read", "endpoints:read", "services:update"].some((each) => may(scopes, each, resource));
  const description: IsReadable = (scopes) =>
    mayOnDocument(scopes, descriptionId) || usersOf(letter).some((each) => readsContent(scopes, world, each));
  const key: IsReadable = (scopes) => may(scopes, "api-keys:read", { apiKey: { id: apiKeyId } });
  return [
    ...all([serviceId, scanRunId, `svc${letter}`, `fnd${letter}`, `msg${letter}`], service),
    ...all([`cmt${letter}`, commentId, `said${letter}`, runCommentId], service),
    ...all([`pth${letter}`], (scopes) => service(scopes) || description(scopes)),
    ...all([descriptionId], (scopes) => mayOnDocument(scopes, descriptionId)),
    ...all([`dsc${letter}`], description),
    ...all([apiKeyId, `key${letter}`], key),
  ];
}

/** The journeys that use a description. */
const usersOf = (letter: Letter): readonly Letter[] => (letter === "birch" ? LETTERS : [letter]);

/** True if the key may read a journey, or a run of it, whose artifact has everything that the journey is built from. */
function readsContent(
  scopes: readonly PlainScope[],
  { things }: DecisionOrganization,
  journey: Letter,
): boolean {
  return (
    mayOnDocument(scopes, things[journey].journeyId) ||
    LETTERS.some((environment) => mayOnRun(scopes, ["journeys:read"], { things, journey, environment }))
  );
}

function ofJourney(world: DecisionOrganization, letter: Letter): Reader[] {
  const { things } = world;
  const { journeyId, environmentId } = things[letter];
  const content: IsReadable = (scopes) => readsContent(scopes, world, letter);
  const journey: IsReadable = (scopes) =>
    content(scopes) ||
    LETTERS.some((environment) => mayOnRun(scopes, RUN, { things, journey: letter, environment }));
  const reads = (scopes: readonly PlainScope[], environment: string) =>
    may(scopes, "environments:read", { environment });
  const environment: IsReadable = (scopes) =>
    reads(scopes, environmentId) ||
    LETTERS.some((each) => mayOnRun(scopes, RUN, { things, journey: each, environment: letter }));
  // An environment has the ids of the journeys that are released for it.
  const inRelease: IsReadable = (scopes) => LETTERS.some((each) => reads(scopes, things[each].environmentId));
  return [
    ...all([journeyId], (scopes) => journey(scopes) || inRelease(scopes)),
    ...all([`jny${letter}`], journey),
    ...all([`crt${letter}`], content),
    ...all([environmentId, `env${letter}`], environment),
    ...all([`sec${letter}`], (scopes) => reads(scopes, environmentId)),
  ];
}
