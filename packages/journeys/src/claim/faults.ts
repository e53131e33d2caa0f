/** Something in a result that contradicts its program. */
export interface ResultFault {
  /** Such as `steps[3].assertions[0].condition`. */
  path: string;
  message: string;
}

/** More would tell nothing new. */
const FAULTS_MAX = 20;
const SHOWN_MAX = 60;

/** Collects the first faults of a result. */
export interface Faults {
  add: (path: string, message: string) => void;
  /** Adds a fault unless the two have the same JSON. */
  same: (path: string, claimed: unknown, expected: unknown) => void;
  list: readonly ResultFault[];
}

export function collectFaults(): Faults {
  const list: ResultFault[] = [];
  const add = (path: string, message: string) => {
    if (list.length < FAULTS_MAX) list.push({ path, message });
  };
  return {
    add,
    same: (path, claimed, expected) => {
      if (JSON.stringify(claimed) === JSON.stringify(expected)) return;
      add(path, `must be ${shown(expected)}, as in the program`);
    },
    list,
  };
}

/** A name of a result or a program in a message. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "absent";
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
