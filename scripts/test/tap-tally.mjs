// Reads TAP as the runner streams it and keeps what a person wants to know: how many tests
// (innermost named blocks) passed, failed and were skipped, and what each failure said.

const INDENT = 4;
const RESULT = /^(not )?ok\b(?: \d+)?(?: - )?(.*)$/;
const DIRECTIVE = /\s+# (SKIP|TODO|time=[\d.]+m?s)\b ?(.*)$/;

export class TapTally {
  passed = 0;
  failed = 0;
  /** @type {{ name: string, reason: string }[]} */
  skipped = [];
  /** @type {{ name: string, details: string[] }[]} */
  failures = [];
  /** what tests said beside their results */
  notes = [];
  /** called with each finished file: name, whether it passed, its time */
  onFile = () => {};

  #path = [];
  #levels = [];
  #yaml;
  #yamlWanted;

  line(text) {
    if (this.#yaml !== undefined) return this.#readYaml(text);
    const trimmed = text.trimStart();
    const depth = (text.length - trimmed.length) / INDENT;
    if (trimmed.startsWith('# Subtest: ')) return this.#open(depth, trimmed.slice(11));
    if (trimmed === '---') return this.#startYaml(text);
    if (trimmed.startsWith('# ') && depth > 1) this.notes.push(trimmed.slice(2));
    const match = RESULT.exec(trimmed);
    if (match !== null && Number.isInteger(depth)) this.#result(depth, match);
  }

  /** A failure that no test reported: the runner itself broke. */
  fail(name) {
    this.failed++;
    this.failures.push({ name, details: [] });
  }

  #open(depth, name) {
    this.#path.length = depth;
    this.#path[depth] = name;
    this.#levels[depth + 1] = emptyLevel();
  }

  #result(depth, [, not, rest]) {
    const directive = DIRECTIVE.exec(rest);
    const name = directive === null ? rest : rest.slice(0, directive.index);
    const level = this.#levelAt(depth);
    const isBlock = this.#path[depth] !== undefined && this.#path.length === depth + 1;
    const isOk = not === undefined;
    if (directive?.[1] === 'SKIP') this.#skip(depth, name, directive[2]);
    else if (isBlock) this.#closeBlock(depth, name, isOk);
    else if (!isOk) this.#fail(depth, name, level);
    if (depth === 0) this.onFile(name, isOk, directive?.[1]);
    level[isBlock || directive?.[1] === 'SKIP' ? 'blocks' : 'leaves']++;
    this.#path.length = depth;
  }

  #levelAt(depth) {
    this.#levels[depth] ??= emptyLevel();
    return this.#levels[depth];
  }

  #skip(depth, name, reason) {
    this.skipped.push({ name: [...this.#path.slice(0, depth), name].join(' > '), reason });
  }

  #closeBlock(depth, name, isOk) {
    const inner = this.#levelAt(depth + 1);
    if (inner.blocks === 0 && isOk) this.passed++;
    if (isOk) return;
    const outer = this.#levelAt(depth);
    if (inner.failures === 0) this.#fail(depth, name, outer);
    else outer.failures++;
    // a block that only passes on what its inner blocks said is not one more failed test
    if (inner.blocks === 0 || inner.failedBlocks === 0) this.failed++;
    outer.failedBlocks++;
  }

  #fail(depth, name, level) {
    level.failures++;
    this.failures.push({ name: [...this.#path.slice(0, depth), name].join(' > '), details: [] });
    this.#yamlWanted = this.failures.at(-1).details;
  }

  #startYaml(text) {
    this.#yaml = { end: text.replace('---', '...'), into: this.#yamlWanted };
    this.#yamlWanted = undefined;
  }

  #readYaml(text) {
    if (text === this.#yaml.end) this.#yaml = undefined;
    else this.#yaml.into?.push(text.slice(this.#yaml.end.length - 3));
  }
}

function emptyLevel() {
  return { blocks: 0, leaves: 0, failures: 0, failedBlocks: 0 };
}
