import type { Log } from '../../shared/aws/log.ts';
import { logCalls } from '../../shared/composition/log-calls.ts';
import { systemClock } from './system-clock.ts';
import { isDebugging, logger } from './telemetry.ts';

export const log: Log = ({ level, message, fields }) => logger[level](message, { ...fields });

/** Writes a debug line per call of a port, if the function is debugged. */
export const withLoggedCalls = <P extends object>(ports: P): P =>
  isDebugging ? logCalls(ports, log, systemClock) : ports;
