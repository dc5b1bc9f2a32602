/** Narrower than this no text is wrapped any more: it would be a column of single words. */
const MIN_WIDTH = 30;

/**
 * Breaks a text at blanks so that it fits; the first line begins with `lead`, the others are
 * indented as deep. A word that is too long stays whole: it may be a path to copy.
 */
export function wrapText(text: string, columns: number, lead = ''): readonly string[] {
  const width = Math.max(MIN_WIDTH, columns) - lead.length;
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) lines.push(...wrapParagraph(paragraph, width));
  const indent = ' '.repeat(lead.length);
  return lines.map((line, index) => `${index === 0 ? lead : indent}${line}`.trimEnd());
}

function wrapParagraph(paragraph: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of paragraph.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length > width && line !== '') {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}
