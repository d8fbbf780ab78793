import type { Answer } from '../lab/forward.ts';

/** @see EC2, "Error codes": it comes with 503 */
export const throttled = (): Answer =>
  refusal(503, 'RequestLimitExceeded', 'Request limit exceeded.');

export const templateMissing = (): Answer =>
  refusal(400, 'InvalidLaunchTemplateName.NotFoundException', 'No such launch template.');

export const instanceMissing = (id: string): Answer =>
  refusal(400, 'InvalidInstanceID.NotFound', `The instance ID '${id}' does not exist`);

export const noInstances = (): Answer =>
  xml(200, '<DescribeInstancesResponse><reservationSet/></DescribeInstancesResponse>');

const refusal = (status: number, code: string, message: string): Answer =>
  xml(
    status,
    `<Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors>` +
      '<RequestID>lab</RequestID></Response>',
  );

const xml = (status: number, text: string): Answer => ({
  status,
  headers: { 'content-type': 'text/xml' },
  body: Buffer.from(text),
});
