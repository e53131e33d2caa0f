import type { ComboboxItem, ComboboxParsedItem, ComboboxParsedItemGroup, OptionsFilter } from "@mantine/core";

/** Returns the items with the exact ones first; otherwise their order stays. */
export function sortExactFirst<Item>(items: readonly Item[], isExactly: (item: Item) => boolean): Item[] {
  return items.toSorted((a, b) => Number(isExactly(b)) - Number(isExactly(a)));
}

/** Finds the options that contain the text, the one that is exactly the text first: Enter chooses the first one. */
export const exactFirst: OptionsFilter = ({ options, search, limit }) => {
  const wanted = search.trim().toLowerCase();
  let left = limit;
  const take = (items: readonly ComboboxItem[]): ComboboxItem[] => {
    const found = items.filter(({ label }) => label.toLowerCase().includes(wanted));
    const shown = sortExactFirst(found, (item) => isExact(item, wanted)).slice(0, left);
    left -= shown.length;
    return shown;
  };
  if (!options.some(isGroup))
    return take(options.filter((option): option is ComboboxItem => !isGroup(option)));
  return sortExactFirst(options, (option) => hasExact(option, wanted)).flatMap(
    (option): ComboboxParsedItem[] => {
      const items = take(isGroup(option) ? option.items : [option]);
      if (items.length === 0) return [];
      return isGroup(option) ? [{ ...option, items }] : items;
    },
  );
};

function isGroup(option: ComboboxParsedItem): option is ComboboxParsedItemGroup {
  return "group" in option;
}

const hasExact = (option: ComboboxParsedItem, wanted: string) =>
  isGroup(option) ? option.items.some((item) => isExact(item, wanted)) : isExact(option, wanted);

const isExact = ({ label }: ComboboxItem, wanted: string) => label.trim().toLowerCase() === wanted;
