/**
 * Foreign text (a child's stderr, an agent's answer) as a terminal may show it: escape
 * sequences and control characters could move the cursor, hide lines or set the clipboard.
 */
export function printable(text: string): string {
  return text.replace(ESCAPES, '').replace(CONTROLS, '');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
