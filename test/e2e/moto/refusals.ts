import { ec2Refusal, xmlAnswer } from '../lab/ec2-answers.ts';
import type { Answer } from '../lab/forward.ts';

/** @see EC2, "Error codes": it comes with 503 */
export const throttled = (): Answer =>
  ec2Refusal(503, 'RequestLimitExceeded', 'Request limit exceeded.');

export const templateMissing = (): Answer =>
  ec2Refusal(400, 'InvalidLaunchTemplateName.NotFoundException', 'No such launch template.');

export const instanceMissing = (id: string): Answer =>
  ec2Refusal(400, 'InvalidInstanceID.NotFound', `The instance ID '${id}' does not exist`);

export const noInstances = (): Answer =>
  xmlAnswer(200, '<DescribeInstancesResponse><reservationSet/></DescribeInstancesResponse>');
