import { useLocalStorage } from "@mantine/hooks";

export type DifferenceView = "split" | "unified";

/** How differences are shown: both sides beside one another, or in one column. The browser stores it. */
export function useDifferenceView(): [DifferenceView, (view: DifferenceView) => void] {
  const [view, setView] = useLocalStorage<DifferenceView>({
    key: "waymark-difference",
    defaultValue: "split",
    getInitialValueInEffect: false,
    deserialize: (text) => (text === '"unified"' ? "unified" : "split"),
  });
  return [view, setView];
}
