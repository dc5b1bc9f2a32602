/** One figure of the contract: what was wanted, what was measured. */
export interface Figure {
  readonly what: string;
  readonly wanted: string;
  readonly got: string;
  readonly isMet: boolean;
  /** the plain measurements behind it */
  readonly from: string;
}

export function renderFigures(figures: readonly Figure[]): string {
  const cells = figures.map(({ what, wanted, got, isMet }) => [
    what,
    wanted,
    got,
    isMet ? 'met' : 'falls short',
  ]);
  const rows = [['figure', 'wanted', 'got', ''], ...cells];
  const widths = [0, 1, 2].map((column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map((row, index) => {
      const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
      const figure = figures[index - 1];
      return figure === undefined ? line : `${line.trimEnd()}\n    ${figure.from}`;
    })
    .join('\n');
}

export const ms = (value: number): string => `${value.toFixed(0)} ms`;
export const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
export const times = (ratio: number): string => `${ratio.toFixed(2)}×`;
