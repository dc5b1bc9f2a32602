import type { ToolName } from '../../core/assignment.js';
import type { Tool } from './port.js';
import { createProcessTool } from './process.js';
import { createTerminalTool, type TerminalParts } from './terminal.js';

/** The tools that a profile enables, in the order of its list. */
export function createTools(names: readonly ToolName[], parts: TerminalParts): Tool[] {
  return names.map((name) => {
    switch (name) {
      case 'terminal':
        return createTerminalTool(parts);
      case 'process':
        return createProcessTool(parts);
      default:
        return name satisfies never;
    }
  });
}
