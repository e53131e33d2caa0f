import { ComboboxChevron, ComboboxClearButton, InputBase, type SelectProps } from "@mantine/core";
import { type ComponentType, useEffect, useLayoutEffect, useRef, useState } from "react";
import { exactFirst } from "./exact-first.ts";
import { NotLoaded } from "./lazy-part.tsx";

interface Choice {
  value: string;
  label: string;
}

interface Props extends Pick<
  SelectProps,
  | "allowDeselect"
  | "className"
  | "clearable"
  | "clearButtonProps"
  | "limit"
  | "maw"
  | "nothingFoundMessage"
  | "onDropdownOpen"
  | "openOnFocus"
  | "placeholder"
  | "searchable"
  | "w"
> {
  label: string;
  data: readonly (string | Choice)[];
  value: string | null;
  onChange: (value: string | null) => void;
}

type Loaded = ComponentType<SelectProps>;
let loaded: Loaded | undefined;
async function load(): Promise<Loaded> {
  loaded ??= (await import("./select-list.ts")).Select;
  return loaded;
}

/** The actions of the user in a field before its list is loaded. */
interface Wanted {
  action: "none" | "focused" | "opened";
  /** Text that was typed, if the list has a search. */
  typed: string;
}

const UNTOUCHED: Wanted = { action: "none", typed: "" };

/**
 * A field that opens a list to choose from. The list is 33 kB of code, which loads when the pointer or the focus reaches the field. A
 * field that looks the same stands in for it until then, and keeps what is pressed meanwhile.
 */
export function Select({ data, ...props }: Props) {
  const [List, setList] = useState(() => loaded);
  const [hasFailed, setFailed] = useState(false);
  const wanted = useRef(UNTOUCHED);
  const want = (what: Partial<Wanted>) => {
    wanted.current = { ...wanted.current, ...what };
    load().then(
      (component) => setList(() => component),
      () => setFailed(true),
    );
  };
  if (List !== undefined)
    return <WantedList List={List} wanted={wanted.current} {...props} data={[...data]} />;
  if (hasFailed)
    return <NotLoaded what={`The list of “${props.label}”`} onRetry={() => want({ action: "opened" })} />;
  return (
    <StandIn
      {...props}
      data={data}
      // A failure of this early loading is ignored: opening the list loads it again and shows the failure.
      onReach={() => void load().catch(() => undefined)}
      onWanted={(action) => want({ action })}
      onType={(key) => want({ action: "opened", typed: wanted.current.typed + key })}
      isOpening={() => wanted.current.action === "opened"}
      // If the user has moved to another field, the focus stays there and the list is closed.
      onLeave={() => (wanted.current = UNTOUCHED)}
    />
  );
}

function WantedList({ List, wanted, ...props }: SelectProps & { List: Loaded; wanted: Wanted }) {
  const input = useRef<HTMLInputElement>(null);
  const [{ action, typed }] = useState(wanted);
  const [onOpen] = useState(() => props.onDropdownOpen);
  useLayoutEffect(() => {
    if (action !== "none") input.current?.focus();
    if (action === "opened") onOpen?.();
  }, [action, onOpen]);
  // After the effects of the list, which sets its text to the chosen value.
  useEffect(() => {
    if (typed === "" || input.current === null) return;
    input.current.value = typed;
    input.current.dispatchEvent(new InputEvent("input", { bubbles: true }));
  }, [typed]);
  const search = props.searchable === true ? { selectFirstOptionOnChange: true, filter: exactFirst } : {};
  return <List {...props} {...search} ref={input} defaultDropdownOpened={action === "opened"} />;
}

const ARROWS = ["ArrowDown", "ArrowUp"];
/** The keys that open a list without a search. In one with a search, they are typed. */
const OPENING_KEYS = [...ARROWS, "Enter", " "];

function StandIn(
  props: Props & {
    /** Called when the pointer reaches the field: a click may follow. */
    onReach: () => void;
    onWanted: (action: "focused" | "opened") => void;
    onType: (key: string) => void;
    /** Returns whether the list opens as soon as it is there. */
    isOpening: () => boolean;
    onLeave: () => void;
  },
) {
  const { label, data, value, onChange, placeholder, className, w, maw } = props;
  const { onReach, onWanted, onType, isOpening, onLeave } = props;
  const { searchable = false, clearable = false, clearButtonProps } = props;
  // Between a press and its click, the field must stay the same element.
  const isPointed = useRef(false);
  const chosen = data.map((choice) =>
    typeof choice === "string" ? { value: choice, label: choice } : choice,
  );
  return (
    <InputBase
      label={label}
      value={chosen.find((choice) => choice.value === value)?.label ?? ""}
      placeholder={placeholder}
      readOnly
      pointer={!searchable}
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      autoComplete="off"
      onPointerEnter={onReach}
      onPointerDown={() => (isPointed.current = true)}
      onFocus={() => {
        if (!isPointed.current) onWanted("focused");
        isPointed.current = false;
      }}
      onBlur={onLeave}
      onClick={() => onWanted("opened")}
      onKeyDown={(event) => {
        const { key } = event;
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const opens = (searchable ? ARROWS : OPENING_KEYS).includes(key);
        const isTyped = !opens && searchable && key.length === 1;
        // An open list takes Enter, and the form around it does not.
        if (!opens && !isTyped && !(key === "Enter" && isOpening())) return;
        event.preventDefault();
        if (opens) onWanted("opened");
        if (isTyped) onType(key);
      }}
      className={className}
      w={w}
      maw={maw}
      __defaultRightSection={<ComboboxChevron size="sm" />}
      rightSectionPointerEvents="none"
      __clearable={clearable && value !== null}
      __clearSection={<ComboboxClearButton {...clearButtonProps} onClear={() => onChange(null)} />}
    />
  );
}
