import type { Answer } from '../forward.ts';
import { ec2Refusal, xmlAnswer } from './ec2-answers.ts';
import type { Override } from './fleet-parameters.ts';

const XMLNS = 'http://ec2.amazonaws.com/doc/2016-11-15/';

/** The response of CreateFleet without capacity: no instance, and one error for each override. */
export const insufficientCapacityAnswer = (
  exhausted: readonly Override[],
  capacityType: 'spot' | 'on-demand',
): Answer =>
  xmlAnswer(
    200,
    `<CreateFleetResponse xmlns="${XMLNS}"><requestId>lab</requestId>` +
      `<fleetId>fleet-${crypto.randomUUID()}</fleetId>${errorSet(exhausted, capacityType)}` +
      '<fleetInstanceSet/></CreateFleetResponse>',
  );

/** Adds the errors of exhausted overrides to the emulator's response. */
export function withErrors(
  answer: Answer,
  exhausted: readonly Override[],
  capacityType: 'spot' | 'on-demand',
): Answer {
  if (answer.status !== 200 || exhausted.length === 0) return answer;
  const text = answer.body
    .toString()
    .replace('</CreateFleetResponse>', `${errorSet(exhausted, capacityType)}$&`);
  return { ...answer, body: Buffer.from(text) };
}

/**
 * @see EC2, "Error codes": RequestLimitExceeded has status 503
 */
export const throttled = (): Answer =>
  ec2Refusal(503, 'RequestLimitExceeded', 'Request limit exceeded.');

export const tokenMismatch = (): Answer =>
  ec2Refusal(
    400,
    'IdempotentParameterMismatch',
    'The client token was used before with other parameters.',
  );

function errorSet(exhausted: readonly Override[], capacityType: string): string {
  const items = exhausted.map(
    ({ instanceType, zone, subnet }) =>
      '<item><launchTemplateAndOverrides><overrides>' +
      `<instanceType>${instanceType}</instanceType><subnetId>${subnet}</subnetId>` +
      `<availabilityZone>${zone}</availabilityZone></overrides></launchTemplateAndOverrides>` +
      `<lifecycle>${capacityType}</lifecycle><errorCode>InsufficientInstanceCapacity</errorCode>` +
      `<errorMessage>There is no capacity for ${instanceType} in ${zone}.</errorMessage></item>`,
  );
  return `<errorSet>${items.join('')}</errorSet>`;
}
