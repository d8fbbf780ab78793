import type { EventSourceOption, MortiseOptions } from './options.ts';

/**
 * The commercial regions without Lambda function URLs.
 *
 * @see AWS Lambda developer guide, "Creating and managing Lambda function URLs"
 */
const WITHOUT_FUNCTION_URLS: ReadonlySet<string> = new Set([
  'ap-east-2',
  'ap-south-2',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-6',
  'ap-southeast-7',
  'ca-west-1',
  'eu-central-2',
  'eu-south-2',
  'il-central-1',
  'me-central-1',
]);
/** GovCloud and the isolated partitions, by the beginnings of their regions. */
const PARTITIONS_WITHOUT_FUNCTION_URLS = /^us-gov-|^[a-z]+-iso/;

export const hasFunctionUrls = (region: string): boolean =>
  !WITHOUT_FUNCTION_URLS.has(region) && !PARTITIONS_WITHOUT_FUNCTION_URLS.test(region);

/** Where the webhooks would call: the options say so, or it is a function URL. */
interface HookOptions {
  readonly eventSource: EventSourceOption;
  /** True with `hookAddress` or `hookVpcEndpoint`. */
  readonly hasOwnAddress: boolean;
  /** Undefined if only the deployment knows it. */
  readonly region?: string | undefined;
}

type SourceChoice = Pick<MortiseOptions, 'eventSource' | 'eventSourceReason'>;

/**
 * Without function URLs in the region, `auto` polls.
 *
 * @returns undefined if the webhooks of the option `hook` would have no address
 */
export function chooseSource({ eventSource, hasOwnAddress, region }: HookOptions): SourceChoice | undefined {
  if (hasOwnAddress || region === undefined || hasFunctionUrls(region)) return { eventSource };
  if (eventSource === 'hook') return undefined;
  if (eventSource !== 'auto') return { eventSource };
  return { eventSource: 'poll', eventSourceReason: pollsIn(region) };
}

/** The sentence of the output `EventSourceWhy`, and of `mortise deploy`. */
const pollsIn = (region: string): string =>
  `Lambda has no function URLs in ${region}, so a function looks for pending pods every five seconds.`;

/** True if the API server may be told to call the intake. */
export const mayUseHooks = ({ eventSource }: Pick<MortiseOptions, 'eventSource'>): boolean =>
  eventSource === 'auto' || eventSource === 'hook';
