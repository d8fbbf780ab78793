import type { APIGatewayProxyEvent, LambdaFunctionURLEvent } from 'aws-lambda';
import type { EpochMs } from '../../shared/model/time.ts';

/** A call through the function URL or through a private API Gateway. */
export type HookEvent = LambdaFunctionURLEvent | APIGatewayProxyEvent;

export interface HookCall {
  /** The path without the stage of an API. */
  readonly path: string;
  readonly body: string;
  readonly at: EpochMs;
}

export function hookCallOf(event: HookEvent): HookCall {
  const body = event.body ?? '';
  return {
    body: event.isBase64Encoded ? Buffer.from(body, 'base64').toString() : body,
    ...('rawPath' in event
      ? { path: event.rawPath, at: event.requestContext.timeEpoch }
      : { path: event.path, at: event.requestContext.requestTimeEpoch }),
  };
}
