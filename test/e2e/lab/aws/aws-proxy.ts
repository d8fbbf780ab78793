import { type Answer, type Listening, serve } from '../forward.ts';
import { REGION } from './emulators.ts';
import { type AwsRequest, readAwsRequest, readStep } from './rules/aws-request.ts';
import type { Pass, Rules } from './rules/rule.ts';

/** Services that are not behind the emulator of most services. */
export type Services = ReadonlyMap<string, Pass>;

export interface AwsProxy extends Listening {
  readonly url: string;
  /** The URL that the emulated CloudFormation asks before each step. */
  readonly stepsUrl: string;
}

const STEPS = '/_lab/steps';

/**
 * The one address of AWS in the lab: applies the rules to each request, then sends it to the emulator of
 * its service.
 */
export async function startAwsProxy(rules: Rules, emulator: Pass, services: Services = new Map()): Promise<AwsProxy> {
  const route = (request: AwsRequest): Promise<Answer> => (services.get(request.service) ?? emulator)(request);

  const listening = await serve((request) =>
    request.path === STEPS
      ? rules.answer(readStep(JSON.parse(request.body.toString()), REGION), allowStep)
      : rules.answer(readAwsRequest(request), route),
  );
  const url = `http://127.0.0.1:${listening.port}`;
  return { ...listening, url, stepsUrl: `${url}${STEPS}` };
}

/** The emulated CloudFormation goes on with the properties in the answer. */
const allowStep = async ({ body }: AwsRequest): Promise<Answer> => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body,
});
