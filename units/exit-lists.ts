import { EXIT_CLASSES, type ManagerAnswer } from '../src/core/exit-codes.js';

/** Codes of the contract that systemd answers so, ascending. */
export function codesAnswered(...answers: readonly ManagerAnswer[]): readonly number[] {
  return Object.values(EXIT_CLASSES)
    .filter((row) => answers.includes(row.systemd))
    .map((row) => row.code)
    .sort((a, b) => a - b);
}

/** Codes after which an s6 slot stays down. */
export function codesPermanentForS6(): readonly number[] {
  return Object.values(EXIT_CLASSES)
    .filter((row) => row.s6Finish === 'permanent')
    .map((row) => row.code)
    .sort((a, b) => a - b);
}
