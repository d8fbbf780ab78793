import type { Answer } from '../../forward.ts';
import { seededFraction } from '../../seeded-fraction.ts';
import { editInstances } from '../ec2/instances-xml.ts';
import { type AwsRequest, refuse, withParameters } from './aws-request.ts';
import type { Rule } from './rule.ts';

const MAX_HIDDEN_MS = 60_000;

/** Ids of the instances that a CreateFleet or RunInstances answer lists. */
export const instanceIdsIn = ({ body }: Answer): readonly string[] => [
  ...new Set(body.toString().match(/\bi-[0-9a-f]{8,17}\b/g)),
];

/**
 * EC2 is eventually consistent: DescribeInstances shows a new instance up to a minute after its launch,
 * whether or not its node has joined by then.
 *
 * @param seed - gives each instance its time
 * @see https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html
 */
export function hiddenInstances(seed: number, now: () => number = Date.now): Rule {
  const shownAt = new Map<string, number>();
  const isHidden = (id: string): boolean => now() < (shownAt.get(id) ?? 0);

  return {
    name: 'hidden instances',
    isDelay: true,
    async answer(request, pass) {
      const { service, action, parameters } = request;
      if (service !== 'ec2') return pass(request);
      const answer = await pass(request);
      if (action === 'CreateFleet' || action === 'RunInstances') {
        for (const id of instanceIdsIn(answer)) {
          if (shownAt.has(id)) continue;
          shownAt.set(id, now() + seededFraction(seed, 'hidden', id) * MAX_HIDDEN_MS);
        }
      }
      if (action !== 'DescribeInstances') return answer;
      const requested = Object.entries(parameters).flatMap(([name, id]) =>
        name.startsWith('InstanceId.') ? [String(id)] : [],
      );
      const hidden = requested.find(isHidden);
      if (hidden !== undefined) {
        const message = `The instance ID '${hidden}' does not exist`;
        return refuse(request, 400, 'InvalidInstanceID.NotFound', message);
      }
      return editInstances(answer, (xml, id) => (isHidden(id) ? '' : xml));
    },
  };
}

/** The token of the page after an empty page. */
const AFTER_EMPTY_PAGE = 'lab-after-an-empty-page';
const EMPTY_SHARE = 0.5;

/**
 * A page may be empty although more pages follow, so that callers must read until no token is left.
 *
 * @param seed - chooses the requests whose first page is empty
 * @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/Query-Requests.html, "Pagination"
 */
export function emptyPages(seed: number): Rule {
  let paginated = 0;

  return {
    name: 'empty pages',
    async answer(request, pass) {
      const { service, action, parameters } = request;
      const isPaginated = action.startsWith('Describe') && parameters.MaxResults !== undefined;
      if (service !== 'ec2' || !isPaginated) return pass(request);
      const { NextToken: token, ...others } = parameters;
      if (token === AFTER_EMPTY_PAGE) return pass(withParameters(request, others));
      if (token !== undefined) return pass(request);
      paginated += 1;
      if (seededFraction(seed, 'page', paginated) >= EMPTY_SHARE) return pass(request);
      return emptyPage(request);
    },
  };
}

const emptyPage = ({ action }: AwsRequest): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/xml' },
  body: Buffer.from(
    `<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>lab</requestId>` +
      `<nextToken>${AFTER_EMPTY_PAGE}</nextToken></${action}Response>`,
  ),
});
