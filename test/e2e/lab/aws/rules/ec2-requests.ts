import { type AwsRequest, refuse } from './aws-request.ts';
import { instanceIdsIn } from './ec2-visibility.ts';
import type { Rule } from './rule.ts';

/** A token bucket: its size, and how many tokens come back per second. */
interface Limit {
  readonly size: number;
  readonly perSecond: number;
}

/** EC2's published limits of requests, for each action of an account in a region. */
const READS: Limit = { size: 100, perSecond: 20 };
const UNFILTERED_READS: Limit = { size: 50, perSecond: 10 };
const WRITES: Limit = { size: 50, perSecond: 5 };
/** Limits of the instances in requests, which come on top. */
const LAUNCHED: Limit = { size: 1_000, perSecond: 2 };
const TERMINATED: Limit = { size: 1_000, perSecond: 20 };

/** Reads with a smaller bucket if they have neither filter nor page size, as far as we send them. */
const COSTLY_READS: ReadonlySet<string> = new Set([
  ...['DescribeInstances', 'DescribeInstanceStatus', 'DescribeNetworkInterfaces'],
  ...['DescribeSecurityGroups', 'DescribeSnapshots', 'DescribeSpotInstanceRequests'],
  ...['DescribeVolumes'],
]);

/**
 * EC2 throttles each action with a token bucket of its own.
 *
 * @see https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html
 */
export function requestLimits(now: () => number = Date.now): Rule {
  const buckets = new Map<string, { tokens: number; at: number }>();

  function take(key: string, { size, perSecond }: Limit, amount: number): boolean {
    const at = now();
    const bucket = buckets.get(key) ?? { tokens: size, at };
    const refilled = bucket.tokens + ((at - bucket.at) / 1_000) * perSecond;
    const tokens = Math.min(size, refilled);
    const isEnough = tokens >= amount;
    buckets.set(key, { tokens: isEnough ? tokens - amount : tokens, at });
    return isEnough;
  }

  return {
    name: 'request limits',
    async answer(request, pass) {
      const { service, action, region } = request;
      if (service !== 'ec2') return pass(request);
      const [name, limit] = limitOf(request);
      const resources = resourceLimitOf(request);
      const isAllowed =
        take(`${region} ${name}`, limit, 1) &&
        (!resources || take(`${region} ${action} resources`, resources.limit, resources.count));
      if (isAllowed) return pass(request);
      return refuse(request, 503, 'RequestLimitExceeded', 'Request limit exceeded.');
    },
  };
}

function limitOf({ action, parameters }: AwsRequest): readonly [bucket: string, Limit] {
  if (!/^(Describe|List|Search|Get)/.test(action)) return [action, WRITES];
  const isNarrowed = Object.keys(parameters).some(
    (name) => name.startsWith('Filter.') || name === 'MaxResults' || name === 'NextToken',
  );
  return COSTLY_READS.has(action) && !isNarrowed ? [`${action} unfiltered`, UNFILTERED_READS] : [action, READS];
}

function resourceLimitOf({ action, parameters }: AwsRequest) {
  if (action === 'RunInstances') return { limit: LAUNCHED, count: Number(parameters.MaxCount ?? 1) };
  if (action !== 'TerminateInstances') return undefined;
  const count = Object.keys(parameters).filter((name) => name.startsWith('InstanceId.')).length;
  return { limit: TERMINATED, count };
}

/**
 * A dry run never does anything: it answers that the request would have succeeded, as an error. The
 * emulator checks the request first, and answers some dry runs with success.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/CommonParameters.html, "DryRun"
 */
export const dryRuns: Rule = {
  name: 'dry runs',
  async answer(request, pass) {
    const answer = await pass(request);
    if (request.service !== 'ec2' || request.parameters.DryRun !== 'true') return answer;
    if (answer.status >= 300) return answer;
    const launched = instanceIdsIn(answer);
    if (launched.length > 0) throw new Error(`a dry run has launched ${launched.join(', ')}`);
    const message = 'Request would have succeeded, but DryRun flag is set.';
    return refuse(request, 412, 'DryRunOperation', message);
  },
};

/**
 * A launch template that is named by its id has an error code of its own, which the emulator lacks.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
 */
export const templateCodes: Rule = {
  name: 'error codes of launch templates',
  async answer(request, pass) {
    const answer = await pass(request);
    const { service, parameters } = request;
    const isById = service === 'ec2' && parameters.LaunchTemplateId !== undefined;
    if (!isById || !answer.body.includes('InvalidLaunchTemplateName.NotFoundException')) return answer;
    const message = `The launch template ${String(parameters.LaunchTemplateId)} does not exist.`;
    return refuse(request, 400, 'InvalidLaunchTemplateId.NotFound', message);
  },
};
