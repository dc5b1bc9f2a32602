/** Lines of two texts as `diff` shows them: `-` only in the first, `+` only in the second. */
export function lineDiff(before: string, after: string): readonly string[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const common = commonLengths(a, b);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      i++;
      j++;
    } else if (j === b.length || (i < a.length && at(common, i + 1, j) >= at(common, i, j + 1))) {
      lines.push(`-${a[i++] ?? ''}`);
    } else {
      lines.push(`+${b[j++] ?? ''}`);
    }
  }
  return lines;
}

/** Length of the longest common run of lines from (i, j) on; units are short enough for the square. */
function commonLengths(a: readonly string[], b: readonly string[]): readonly number[][] {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const row = table[i] ?? [];
      row[j] =
        a[i] === b[j]
          ? at(table, i + 1, j + 1) + 1
          : Math.max(at(table, i + 1, j), at(table, i, j + 1));
    }
  }
  return table;
}

function at(table: readonly (readonly number[])[], i: number, j: number): number {
  return table[i]?.[j] ?? 0;
}
