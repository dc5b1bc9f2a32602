export { EventFeed, type EventFeedOptions } from './event-feed.js';
export type {
  ControlHistoryQuery,
  ControlPort,
  EventSubscriber,
  ReloadReport,
} from './port.js';
export { ROUTE_NAMES } from './routes.js';
export { type ControlServer, type ControlServerOptions, startControlServer } from './server.js';
