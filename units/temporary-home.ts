/** What a reboot or a cleaner empties; macOS has its own, behind links. */
const TEMPORARY = [
  '/tmp',
  '/var/tmp',
  '/dev/shm',
  '/private/tmp',
  '/private/var/tmp',
  '/var/folders',
  '/private/var/folders',
];

/** The folder that makes a home temporary: what a test leaked must never become a unit. */
export function temporaryFolderOf(home: string): string | undefined {
  return TEMPORARY.find((folder) => home === folder || home.startsWith(`${folder}/`));
}
