import type { ErrorCode } from 'yaml';

/**
 * The YAML parser's errors in our words: its own quote the file, where secrets may stand.
 */
export const YAML_FAULTS: Readonly<
  Record<ErrorCode, { readonly expected: string; readonly got: string; readonly hint?: string }>
> = {
  ALIAS_PROPS: { expected: 'an alias without a tag or an anchor', got: 'one with' },
  BAD_ALIAS: { expected: 'an alias such as *name', got: 'something else after the *' },
  BAD_DIRECTIVE: { expected: 'no % at the start of a line', got: 'an unknown directive' },
  BAD_DQ_ESCAPE: {
    expected: 'a known escape after \\ in double quotes',
    got: 'another one',
    hint: 'use single quotes, in which \\ means itself',
  },
  BAD_INDENT: { expected: 'the indentation of the lines around it', got: 'another one' },
  BAD_PROP_ORDER: { expected: 'a tag or an anchor before its value', got: 'another order' },
  BAD_SCALAR_START: {
    expected: 'a value',
    got: 'a character that no plain value starts with',
    hint: 'put the value in quotes',
  },
  BLOCK_AS_IMPLICIT_KEY: {
    expected: 'one key and one value in a line',
    got: 'a second key, or a value that holds ": "',
    hint: 'put the value in quotes',
  },
  BLOCK_IN_FLOW: { expected: 'no block inside of [ ] or { }', got: 'one' },
  DUPLICATE_KEY: { expected: 'each key once', got: 'a second one' },
  IMPOSSIBLE: { expected: 'YAML', got: 'something else' },
  KEY_OVER_1024_CHARS: { expected: 'a key of at most 1024 characters', got: 'a longer one' },
  MISSING_CHAR: {
    expected: 'a closing quote or bracket, a colon, or a comma',
    got: 'something else',
    hint: 'look at this line and the one before it',
  },
  MULTILINE_IMPLICIT_KEY: {
    expected: 'a key and a colon in one line',
    got: 'text over several lines',
    hint: 'a colon may be missing',
  },
  MULTIPLE_ANCHORS: { expected: 'one anchor for a value', got: 'several' },
  MULTIPLE_DOCS: { expected: 'one document', got: 'several, split by ---' },
  MULTIPLE_TAGS: { expected: 'no tags (!name)', got: 'several' },
  NON_STRING_KEY: { expected: 'a word as the key', got: 'a list or a mapping' },
  RESOURCE_EXHAUSTION: { expected: 'a few levels of nesting', got: 'very many' },
  TAB_AS_INDENT: { expected: 'blanks as indentation', got: 'a tab' },
  TAG_RESOLVE_FAILED: {
    expected: 'a value without a tag (!name)',
    got: 'one with a tag that is not known or does not fit',
    hint: 'put the value in quotes if it starts with !',
  },
  UNEXPECTED_TOKEN: { expected: 'YAML', got: 'something else' },
  BAD_COLLECTION_TYPE: { expected: 'a mapping or a list', got: 'another tag' },
};
