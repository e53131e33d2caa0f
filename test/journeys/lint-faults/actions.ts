import type { Fault } from "./fault.ts";

/** Faults of actions and components. */
export const ACTION_FAULTS: Fault[] = [
  [
    "an end that goes somewhere",
    "type: goto, stepId: two }]",
    "type: end, stepId: two }]",
    ["13 warning ignored-field"],
  ],
  [
    "parameters for no workflow",
    "stepId: two }]",
    "stepId: two, parameters: [{ name: q, value: 1 }] }]",
    ["13 warning ignored-field"],
  ],
  [
    "parameters of an action with a place",
    "stepId: two }]",
    "workflowId: sub, parameters: [{ name: q, in: query, value: 1 }] }]",
    ["13 error parameter-location"],
  ],
  [
    "parameters of an action twice",
    "stepId: two }]",
    "workflowId: sub, parameters: [{ name: q, value: 1 }, { name: q, value: 1 }] }]",
    ["13 error duplicate-parameter"],
  ],
  [
    "two actions of one name",
    "stepId: two }]",
    "stepId: two }, { name: go, type: end }]",
    ["13 error duplicate-id"],
  ],
  [
    "a condition of an action",
    "stepId: two }]",
    "stepId: two, criteria: [{ condition: 1 = 1 }] }]",
    ["13 error invalid-condition"],
  ],
  ["no component", "successActions.stop }", "successActions.gone }", ["17 error unknown-component"]],
  [
    "a component of another kind",
    "$components.successActions.stop }",
    "$components.parameters.stop }",
    ["17 error wrong-component"],
  ],
  [
    "no reference to a component",
    "$components.successActions.stop }",
    "components/stop }",
    ["17 error invalid-expression"],
  ],
  [
    "a value for a component that takes none",
    "successActions.stop }",
    "successActions.stop, value: 1 }",
    ["17 warning ignored-field"],
  ],
  [
    "a component that nobody uses",
    "stop: { name: stop, type: end }",
    "stop: { name: stop, type: end }, on: { name: on, type: goto }",
    ["5 error action-target"],
  ],
  [
    "a component that leads to no step",
    "name: stop, type: end",
    "name: stop, type: goto, stepId: gone",
    ["17 error unknown-step"],
  ],
];
