import type { Facts } from './facts.ts';

export const deployOf = ({ cluster }: Facts): string => `mortise deploy --cluster ${cluster}`;

/** A deployment without a change calls no function, so it repairs nothing in the cluster. */
export function fixOfCluster(facts: Facts): string {
  const { stack, repair } = facts;
  if ('unread' in stack || 'unread' in repair) return HOURLY;
  if (stack.value === undefined) return deployOf(facts);
  return repair.value === undefined ? HOURLY : invoke(repair.value.setup, 'repair');
}

const HOURLY = 'the functions of the stack repair it within the hour';

const invoke = (name: string, action: string): string =>
  `aws lambda invoke --function-name ${name} --cli-binary-format raw-in-base64-out --payload '{"action":"${action}"}' /dev/stdout`;

/** Only the function that places webhooks knows their token. */
export const fixOfHooks = ({ repair }: Facts, action: 'keep' | 'restore-hooks'): string =>
  'unread' in repair || repair.value === undefined ? HOURLY : invoke(repair.value.webhookControl, action);
