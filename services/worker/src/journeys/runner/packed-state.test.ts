import { expect, it } from "vitest";
import type { StoredState } from "./messages.ts";
import { packState, unpackState } from "./packed-state.ts";

function stateOf(value: string): StoredState {
  return {
    checkpoint: { inputs: {}, vars: {}, outputs: { value } } as unknown as StoredState["checkpoint"],
    inDoubtStep: "pay",
  };
}

it("is the same after it was packed, small or large", () => {
  for (const length of [0, 100, 20_000, 5_000_000]) {
    const state = stateOf("ä".repeat(length));
    expect(unpackState(packState(state))).toEqual(state);
  }
});

it("is compressed where it is large", () => {
  expect(packState(stateOf("a".repeat(5_000_000))).length).toBeLessThan(10_000);
});
