type IsSame<T> = (a: T, b: T) => boolean;

/**
 * Pairs the members of two lists that have no order: equal ones are left out, then those that are alike are paired, then the others
 * as they come. A member without a partner stands beside undefined.
 *
 * @param rules the first one says which members are equal, the others which are alike
 */
export function unpaired<T>(
  old: readonly T[],
  next: readonly T[],
  [isEqual, ...likenesses]: readonly [IsSame<T>, ...IsSame<T>[]],
): [T | undefined, T | undefined][] {
  const [olds, news] = [[...old], [...next]];
  takePairs(olds, news, isEqual);
  const alike = likenesses.flatMap((isAlike) => takePairs(olds, news, isAlike));
  const rest = Array.from(
    { length: Math.max(olds.length, news.length) },
    (_, index): [T | undefined, T | undefined] => [olds[index], news[index]],
  );
  return [...alike, ...rest];
}

/** Takes the pairs out of both lists. */
function takePairs<T>(olds: T[], news: T[], isPair: IsSame<T>): [T, T][] {
  const pairs: [T, T][] = [];
  for (const old of olds.slice()) {
    const index = news.findIndex((next) => isPair(old, next));
    const next = news[index];
    if (index === -1 || next === undefined) continue;
    pairs.push([old, next]);
    olds.splice(olds.indexOf(old), 1);
    news.splice(index, 1);
  }
  return pairs;
}
