import { setTimeout as sleep } from 'node:timers/promises';
import { seededFraction } from '../../seeded-fraction.ts';
import { withErrorOf } from '../fleet-errors.ts';
import { readFleetParameters } from '../fleet-parameters.ts';
import { type AwsRequest, formOf, textOf, withParameters } from './aws-request.ts';
import type { Rule } from './rule.ts';

const MIN_MS = 1_000;
const MAX_MS = 10_000;
const TARGET = 'TargetCapacitySpecification.TotalTargetCapacity';
/** Share of the launches for several instances that get only a part of them. */
const PARTIAL_SHARE = 0.5;

const isFleet = ({ service, action, parameters }: AwsRequest): boolean =>
  service === 'ec2' && action === 'CreateFleet' && parameters.DryRun !== 'true';

/**
 * An instant fleet answers after its instances are launched, which takes seconds.
 *
 * @param seed - gives each launch its time, by its client token
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/create-ec2-fleet.html, "Instant"
 */
export const slowFleets = (seed: number, wait: (ms: number) => Promise<unknown> = (ms) => sleep(ms)): Rule => ({
  name: 'slow fleets',
  isDelay: true,
  async answer(request, pass) {
    const answer = await pass(request);
    if (!isFleet(request)) return answer;
    const share = seededFraction(seed, 'fleet', textOf(request, 'ClientToken'));
    await wait(MIN_MS + share * (MAX_MS - MIN_MS));
    return answer;
  },
});

/**
 * An instant fleet may launch a part of its target, with an error for each pool that could launch no
 * more. The planner then plans the rest again, so that this only costs time.
 *
 * @param seed - chooses the launches and their parts, by their client token
 * @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateFleet.html, "Errors.N"
 */
export const partialFleets = (seed: number): Rule => ({
  name: 'partial fleets',
  isDelay: true,
  async answer(request, pass) {
    const total = Number(request.parameters[TARGET]);
    const token = textOf(request, 'ClientToken');
    if (!isFleet(request) || !(total > 1) || seededFraction(seed, 'part', token) >= PARTIAL_SHARE) return pass(request);
    const part = 1 + Math.floor(seededFraction(seed, 'share', token) * (total - 1));
    const answer = await pass(withParameters(request, { ...request.parameters, [TARGET]: `${part}` }));
    const { overrides, capacityType } = readFleetParameters(formOf(request));
    const [first, second] = overrides;
    const codes = ['InsufficientInstanceCapacity', 'UnfulfillableCapacity'];
    return [first, second].reduce(
      (edited, override, index) =>
        override ? withErrorOf(edited, override, capacityType, codes[index] ?? '') : edited,
      answer,
    );
  },
});
