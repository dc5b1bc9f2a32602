export { LineRate, type LineRateLimits } from './line-rate.js';
export { CUT_MARK, LineSplitter } from './line-splitter.js';
export { CURRENT_LOG, currentLogPath, rotatedPath } from './log-file.js';
export { type LogLine, parseLogLine, renderLogLine } from './log-line.js';
export { renderForJournal, renderForTerminal } from './log-record.js';
export {
  chooseStderrStyle,
  createLogger,
  type Logger,
  type LoggerOptions,
  type StderrStyle,
  streamIdOf,
} from './logger.js';
export {
  METRIC_NAMES,
  METRICS,
  METRICS_CONTENT_TYPE,
  type MetricName,
  renderMetrics,
} from './metrics.js';
export { type FollowOptions, followLog, tailLog } from './read-log.js';
export { LineRing, type RingLimits } from './ring.js';
export { RotatingLog, type RotatingLogOptions } from './rotating-log.js';
export { type GuardedOutput, guardOutput } from './stdio-guard.js';
