import type { APIGatewayProxyEvent, LambdaFunctionURLEvent } from 'aws-lambda';
import type { EpochMs } from '../../shared/model/time.ts';

/** A call through the function URL or through a private API Gateway. */
export type HookEvent = LambdaFunctionURLEvent | APIGatewayProxyEvent;

/** The body of a call as Lambda delivers it. It is read only after the token was checked. */
export interface HookBody {
  readonly text: string;
  readonly isBase64: boolean;
}

export interface HookCall {
  /** The path without the stage of an API. */
  readonly path: string;
  readonly body: HookBody;
  readonly at: EpochMs;
}

export function hookCallOf(event: HookEvent): HookCall {
  return {
    body: { text: event.body ?? '', isBase64: event.isBase64Encoded },
    ...('rawPath' in event
      ? { path: event.rawPath, at: event.requestContext.timeEpoch }
      : { path: event.path, at: event.requestContext.requestTimeEpoch }),
  };
}

/** Bytes of the body, computed without decoding it; base64 is estimated from its length. */
export const bodyBytes = ({ text, isBase64 }: HookBody): number =>
  isBase64 ? Math.floor((text.length * 3) / 4) : Buffer.byteLength(text);

export const decodeBody = ({ text, isBase64 }: HookBody): string =>
  isBase64 ? Buffer.from(text, 'base64').toString() : text;
