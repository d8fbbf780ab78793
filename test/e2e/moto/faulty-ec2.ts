import { ec2Refusal, xmlAnswer } from '../lab/aws/fleet-errors.ts';
import { readFleetParameters } from '../lab/aws/fleet-parameters.ts';
import { type Answer, type Forward, type Listening, type Request, serve } from '../lab/forward.ts';
import { type Faults, NO_FAULTS } from './faults.ts';

/** Number of injected faults by kind. */
interface FaultCounts {
  throttled: number;
  partial: number;
  lost: number;
  templateMissing: number;
  hidden: number;
}

export interface FaultyEc2 extends Listening {
  readonly url: string;
  readonly counts: FaultCounts;
  /** Number of requests by action. */
  readonly requests: ReadonlyMap<string, number>;
  /** The parameters of each CreateFleet request, oldest first. */
  readonly fleets: readonly URLSearchParams[];
  faults: Faults;
}

/** Starts a proxy that injects faults before requests reach the emulator. */
export async function startFaultyEc2(forward: Forward, now: () => number): Promise<FaultyEc2> {
  const counts: FaultCounts = { throttled: 0, partial: 0, lost: 0, templateMissing: 0, hidden: 0 };
  const requests = new Map<string, number>();
  const triesOf = new Map<string, number>();
  const launchedAt = new Map<string, number>();
  const fleets: URLSearchParams[] = [];
  let faults = NO_FAULTS;

  async function createFleet(request: Request, parameters: URLSearchParams): Promise<Answer> {
    fleets.push(new URLSearchParams(parameters));
    const { clientToken, count } = readFleetParameters(parameters);
    const tries = (triesOf.get(clientToken) ?? 0) + 1;
    triesOf.set(clientToken, tries);
    const missing = faults.missingTemplates(clientToken);
    if (tries <= missing) {
      counts.templateMissing += 1;
      return templateMissing();
    }

    const part = Math.max(1, Math.floor(count * faults.shareOf(clientToken)));
    if (part < count) counts.partial += 1;
    parameters.set('TargetCapacitySpecification.TotalTargetCapacity', `${part}`);
    const answer = await forward(withBody(request, parameters));
    for (const id of launchedIn(answer)) launchedAt.set(id, launchedAt.get(id) ?? now());
    if (tries - missing > faults.lostAnswers(clientToken)) return answer;
    counts.lost += 1;
    throw new Error('the answer was lost');
  }

  const isHidden = (id: string): boolean => now() - (launchedAt.get(id) ?? 0) < faults.hiddenForMs;

  async function describe(request: Request, parameters: URLSearchParams): Promise<Answer> {
    // The emulator does not support this filter, and no instance of the run has the requested
    // profiles.
    if ([...parameters.values()].includes('iam-instance-profile.arn')) return noInstances();
    const instanceIds = [...parameters].flatMap(([name, id]) => (/^InstanceId\./.test(name) ? id : []));
    const hidden = instanceIds.find(isHidden);
    if (hidden !== undefined) {
      counts.hidden += 1;
      return instanceMissing(hidden);
    }
    const answer = await forward(request);
    const text = answer.body.toString();
    const shown = withoutReservations(text, isHidden);
    if (shown !== text) counts.hidden += 1;
    return { ...answer, body: Buffer.from(shown) };
  }

  async function respond(request: Request): Promise<Answer> {
    const parameters = new URLSearchParams(request.body.toString());
    const action = parameters.get('Action') ?? request.path;
    const nth = (requests.get(action) ?? 0) + 1;
    requests.set(action, nth);
    if (faults.isThrottled(action, nth)) {
      counts.throttled += 1;
      return throttled();
    }
    if (parameters.get('DryRun') === 'true') return forward(request);
    if (action === 'CreateFleet') return createFleet(request, parameters);
    return action === 'DescribeInstances' ? describe(request, parameters) : forward(request);
  }

  const listening = await serve(respond);
  return {
    ...listening,
    url: `http://127.0.0.1:${listening.port}`,
    counts,
    requests,
    fleets,
    get faults() {
      return faults;
    },
    set faults(next) {
      faults = next;
    },
  };
}

function withBody(request: Request, parameters: URLSearchParams): Request {
  const body = Buffer.from(parameters.toString());
  return { ...request, headers: { ...request.headers, 'content-length': `${body.length}` }, body };
}

const launchedIn = ({ body }: Answer): readonly string[] =>
  [...body.toString().matchAll(/<item>(i-[0-9a-f]+)<\/item>|<InstanceId>(i-[0-9a-f]+)</g)].flatMap(
    ([, a, b]) => a ?? b ?? [],
  );

const RESERVATION =
  /<item>\s*<reservationId>[\s\S]*?<\/groupSet>\s*<\/item>|<item>\s*<reservationId>[\s\S]*?(?=<item>\s*<reservationId>|<\/reservationSet>)/g;

/** Removes reservations that EC2 does not show yet from a DescribeInstances response. */
const withoutReservations = (xml: string, isHidden: (instanceId: string) => boolean) =>
  xml.replace(RESERVATION, (block) => (idsIn(block).some(isHidden) ? '' : block));

const idsIn = (block: string): readonly string[] =>
  [...block.matchAll(/<instanceId>(i-[0-9a-f]+)</gi)].flatMap(([, id]) => id ?? []);

/**
 * @see EC2, "Error codes": RequestLimitExceeded has status 503
 */
const throttled = (): Answer => ec2Refusal(503, 'RequestLimitExceeded', 'Request limit exceeded.');

const templateMissing = (): Answer =>
  ec2Refusal(400, 'InvalidLaunchTemplateName.NotFoundException', 'No such launch template.');

const instanceMissing = (id: string): Answer =>
  ec2Refusal(400, 'InvalidInstanceID.NotFound', `The instance ID '${id}' does not exist`);

const noInstances = (): Answer =>
  xmlAnswer(200, '<DescribeInstancesResponse><reservationSet/></DescribeInstancesResponse>');
