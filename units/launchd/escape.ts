import { refuseValue } from '../refuse-value.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  // a reader of XML turns a bare one into a newline
  '\r': '&#13;',
};

/** What XML 1.0 has no way to say, not even by number. */
const UNSAYABLE = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]|\p{Cs}/u;

/** @throws GatewardenError unit-value-refused */
export function escapeXml(text: string): string {
  if (UNSAYABLE.test(text)) {
    refuseValue(text, 'a plist cannot hold this control character');
  }
  return text.replace(/[&<>\r]/g, (character) => ENTITIES[character] ?? character);
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

export function unescapeXml(text: string): string {
  return text.replace(
    /&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      return String.fromCodePoint(Number.parseInt(decimal ?? hex ?? '', decimal ? 10 : 16));
    },
  );
}
