import { Logger } from '@aws-lambda-powertools/logger';

/** Powertools reads the service name from the variable that the deployment sets. */
export const logger = new Logger();

/** True if the stack option `debugFunctions` names this function. */
export const isDebugging = logger.getLevelName() === 'DEBUG';
