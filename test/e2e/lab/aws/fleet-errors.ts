import type { Answer } from '../forward.ts';
import type { Override } from './fleet-parameters.ts';

const XMLNS = 'http://ec2.amazonaws.com/doc/2016-11-15/';

/** An error of EC2 for one offering. */
export type OfferingError = 'InsufficientInstanceCapacity' | 'VcpuLimitExceeded';

/** The response of CreateFleet that launches nothing, with one error for each override. */
export const insufficientCapacityAnswer = (
  exhausted: readonly Override[],
  capacityType: 'spot' | 'on-demand',
  code: OfferingError,
): Answer =>
  xmlAnswer(
    200,
    `<CreateFleetResponse xmlns="${XMLNS}"><requestId>lab</requestId>` +
      `<fleetId>fleet-${crypto.randomUUID()}</fleetId>${errorSet(exhausted, capacityType, code)}` +
      '<fleetInstanceSet/></CreateFleetResponse>',
  );

/** Adds the errors of exhausted overrides to the emulator's response. */
export function withErrors(
  answer: Answer,
  exhausted: readonly Override[],
  capacityType: 'spot' | 'on-demand',
  code: OfferingError,
): Answer {
  if (answer.status !== 200 || exhausted.length === 0) return answer;
  const text = answer.body.toString().replace('</CreateFleetResponse>', `${errorSet(exhausted, capacityType, code)}$&`);
  return { ...answer, body: Buffer.from(text) };
}

/** Adds an error of one override to a response of CreateFleet. */
export function withErrorOf(answer: Answer, override: Override, capacityType: string, code: string): Answer {
  const item = errorItem(override, capacityType, code);
  const text = answer.body.toString();
  const edited = text.includes('<errorSet>')
    ? text.replace('</errorSet>', `${item}$&`)
    : text.replace('</CreateFleetResponse>', `<errorSet>${item}</errorSet>$&`);
  return { ...answer, body: Buffer.from(edited) };
}

/**
 * @see EC2, "Error codes": RequestLimitExceeded has status 503
 */
export const throttled = (): Answer => ec2Refusal(503, 'RequestLimitExceeded', 'Request limit exceeded.');

export const tokenMismatch = (): Answer =>
  ec2Refusal(400, 'IdempotentParameterMismatch', 'The client token was used before with other parameters.');

const errorSet = (exhausted: readonly Override[], capacityType: string, code: OfferingError): string =>
  `<errorSet>${exhausted.map((one) => errorItem(one, capacityType, code)).join('')}</errorSet>`;

const errorItem = ({ instanceType, zone, subnet }: Override, capacityType: string, code: string): string =>
  '<item><launchTemplateAndOverrides><overrides>' +
  `<instanceType>${instanceType}</instanceType><subnetId>${subnet}</subnetId>` +
  `<availabilityZone>${zone}</availabilityZone></overrides></launchTemplateAndOverrides>` +
  `<lifecycle>${capacityType}</lifecycle><errorCode>${code}</errorCode>` +
  `<errorMessage>There is no capacity for ${instanceType} in ${zone}.</errorMessage></item>`;

/** Builds an error response in EC2's format. */
export const ec2Refusal = (status: number, code: string, message: string): Answer =>
  xmlAnswer(
    status,
    `<Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors>` +
      '<RequestID>lab</RequestID></Response>',
  );

export const xmlAnswer = (status: number, text: string): Answer => ({
  status,
  headers: { 'content-type': 'text/xml' },
  body: Buffer.from(text),
});

/** The response of GetConsoleOutput. */
export const consoleAnswer = (instanceId: string, text: string): Answer =>
  xmlAnswer(
    200,
    `<GetConsoleOutputResponse xmlns="${XMLNS}"><requestId>lab</requestId>` +
      `<instanceId>${instanceId}</instanceId><timestamp>${new Date().toISOString()}</timestamp>` +
      `<output>${Buffer.from(text).toString('base64')}</output></GetConsoleOutputResponse>`,
  );
