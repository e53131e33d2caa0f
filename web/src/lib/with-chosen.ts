/** A value of a filter or a field, with the text that stands for it. */
export interface Choice {
  value: string;
  label: string;
}

/** Returns the choices, and the chosen value if it is none of them: a link may have chosen one that is not in the list. */
export function withChosen(choices: readonly Choice[], chosen: string): readonly Choice[] {
  return chosen === "" || choices.some(({ value }) => value === chosen)
    ? choices
    : [...choices, { value: chosen, label: chosen }];
}
