/** A cell knows its plain text for the width and how it is painted. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

export interface Column {
  readonly title: string;
  readonly align?: 'right';
}

const GAP = '  ';

/** Lines of a table, header first; the last column is not padded. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  paintTitle: (text: string) => string,
): readonly string[] {
  const widths = columnWidths(columns, rows);
  const header = columns.map((column) => ({ text: column.title, paint: paintTitle }));
  return [header, ...rows].map((row) => renderRow(columns, row, widths));
}

/** Width of the widest line, in characters. */
export function tableWidth(columns: readonly Column[], rows: readonly (readonly Cell[])[]): number {
  const widths = columnWidths(columns, rows);
  return widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);
}

function columnWidths(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
): readonly number[] {
  return columns.map((column, index) =>
    Math.max(column.title.length, ...rows.map((row) => row[index]?.text.length ?? 0)),
  );
}

function renderRow(
  columns: readonly Column[],
  row: readonly Cell[],
  widths: readonly number[],
): string {
  const cells = columns.map((column, index) => {
    const { text, paint } = row[index] ?? { text: '' };
    const blanks = ' '.repeat(Math.max(0, (widths[index] ?? 0) - text.length));
    const painted = paint === undefined ? text : paint(text);
    if (column.align === 'right') return blanks + painted;
    return index === columns.length - 1 ? painted : painted + blanks;
  });
  return cells.join(GAP).trimEnd();
}
