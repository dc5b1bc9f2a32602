/*
 * Started by the check of a file system's locks, as the same user, with the path of a lock file
 * that my starter holds. I promise: one line on stdout, the kind of answer that I got when I
 * tried to take it too; then I exit and leave nothing.
 */
import { acquireLock } from '../../store/lock.js';
import { ownOwner } from '../../store/place.js';

const [path = ''] = process.argv.slice(2);
const outcome = acquireLock(path, ownOwner(path));
process.stdout.write(`${outcome.kind}\n`);
