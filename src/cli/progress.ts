import type { Job } from '../core/control.js';
import { formatSpan } from './render/units.js';
import type { Terminal } from './terminal.js';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
const FRAME_MS = 100;
const ERASE_LINE = '\r\u001b[K';

/** What a person sees while jobs run: a spinner with phase and time, plain lines elsewhere. */
export interface Progress {
  update(job: Job): void;
  /** the job is over; its last phase is not shown any more */
  settle(profile: string): void;
  stop(): void;
}

export function startProgress(terminal: Terminal): Progress {
  return terminal.errIsTty && !terminal.quiet ? spinner(terminal) : plainLines(terminal);
}

/** `coder: draining (2 turns in progress), at most 12s left` */
export function describeJob(job: Job): string {
  const detail = job.detail === null || job.detail === '' ? '' : ` (${job.detail})`;
  const eta = job.etaMs === null ? '' : `, ${etaWord(job.phase)} ${formatSpan(job.etaMs)} left`;
  return `${job.profile}: ${job.phase}${detail}${eta}`;
}

/** A drain ends with its last turn; what is known is only when it is cut off. */
function etaWord(phase: Job['phase']): string {
  return phase === 'draining' ? 'at most' : 'about';
}

/** A line per change of phase: a log does not want the time that is left ten times a second. */
function plainLines(terminal: Terminal): Progress {
  const shown = new Map<string, string>();
  return {
    update: (job) => {
      const news = `${job.phase} ${job.detail ?? ''}`;
      if (shown.get(job.profile) === news) return;
      shown.set(job.profile, news);
      terminal.notice(describeJob(job));
    },
    settle: () => undefined,
    stop: () => undefined,
  };
}

function spinner(terminal: Terminal): Progress {
  const running = new Map<string, Job>();
  const startedMs = Date.now();
  let frame = 0;
  const draw = () => {
    const texts = [...running.values()].map(describeJob);
    if (texts.length === 0) return;
    const text = `${FRAMES[frame++ % FRAMES.length] ?? ''} ${texts.join(' · ')} ${formatSpan(Date.now() - startedMs)}`;
    terminal.progress(`${ERASE_LINE}${text.slice(0, Math.max(10, terminal.columns - 1))}`);
  };
  const timer = setInterval(draw, FRAME_MS);
  return {
    update: (job) => void running.set(job.profile, job),
    settle: (profile) => {
      running.delete(profile);
      terminal.progress(ERASE_LINE);
    },
    stop: () => {
      clearInterval(timer);
      terminal.progress(ERASE_LINE);
    },
  };
}
