import { type Answer, forwardTo, type Listening, type Request, serve } from '../forward.ts';
import { insufficientCapacityAnswer, throttled, tokenMismatch, withErrors } from './fleet-errors.ts';
import {
  findCheapest,
  type FleetParameters,
  narrowToOverride,
  readFleetParameters,
} from './fleet-parameters.ts';

/** A CreateFleet as it arrived. */
export interface FleetCall {
  /** When it arrived, by this machine's clock. */
  readonly at: number;
  readonly clientToken: string;
  readonly capacityType: 'spot' | 'on-demand';
  /** As in `m7g.large/us-east-1a/spot`. */
  readonly offerings: readonly string[];
  readonly outcome: 'launched' | 'no capacity' | 'throttled' | 'repeated' | 'refused';
  readonly instanceIds: readonly string[];
}

/** EC2 with what the emulator does not know: capacity that ends, client tokens, request limits. */
export interface Ec2Proxy extends Listening {
  readonly url: string;
  readonly fleetCalls: readonly FleetCall[];
  /** How many requests of each action there were. */
  readonly requests: ReadonlyMap<string, number>;
  /** From now on EC2 has none of what this is true for. */
  exhaust(isExhausted: (offering: string) => boolean): void;
  /** The next so many CreateFleet are refused for their rate. */
  throttle(calls: number): void;
  /** The next so many CreateFleet are done, and their answer is lost on its way. */
  loseAnswers(calls: number): void;
  /** Called after instances were started or ended. */
  onChange(listener: () => void): void;
}

export async function startEc2Proxy(emulator: string): Promise<Ec2Proxy> {
  const forward = forwardTo(emulator);
  const fleetCalls: FleetCall[] = [];
  const requests = new Map<string, number>();
  const responseByToken = new Map<string, { readonly requestText: string; readonly answer: Answer }>();
  const listeners: (() => void)[] = [];
  let isExhausted = (_offering: string): boolean => false;
  let toThrottle = 0;
  let toLose = 0;

  async function createFleet(request: Request, parameters: URLSearchParams): Promise<Answer> {
    const at = Date.now();
    const fleet = readFleetParameters(parameters);
    const record = (outcome: FleetCall['outcome'], answer: Answer): Answer => {
      const offerings = fleet.overrides.map(({ offering }) => offering);
      const { clientToken, capacityType } = fleet;
      const instanceIds = instanceIdsIn(answer);
      fleetCalls.push({ at, clientToken, capacityType, offerings, outcome, instanceIds });
      return answer;
    };
    if (toThrottle > 0) {
      toThrottle -= 1;
      return record('throttled', throttled());
    }

    const requestText = parameters.toString();
    const previous = responseByToken.get(fleet.clientToken);
    if (previous) {
      const isSame = previous.requestText === requestText;
      return isSame ? record('repeated', previous.answer) : record('refused', tokenMismatch());
    }
    const answer = await launch(request, parameters, fleet);
    const isLaunched = instanceIdsIn(answer).length > 0;
    // A request that found nothing may be repeated: EC2 remembers what it did.
    if (isLaunched && fleet.clientToken !== '') responseByToken.set(fleet.clientToken, { requestText, answer });
    return record(isLaunched ? 'launched' : 'no capacity', answer);
  }

  async function launch(
    request: Request,
    parameters: URLSearchParams,
    { overrides, capacityType }: FleetParameters,
  ): Promise<Answer> {
    const exhausted = overrides.filter(({ offering }) => isExhausted(offering));
    const chosen = findCheapest(overrides.filter((one) => !exhausted.includes(one)));
    if (!chosen) return insufficientCapacityAnswer(exhausted, capacityType);
    const body = Buffer.from(narrowToOverride(parameters, chosen).toString());
    const headers = { ...request.headers, 'content-length': `${body.length}` };
    return withErrors(await forward({ ...request, headers, body }), exhausted, capacityType);
  }

  async function answer(request: Request): Promise<Answer> {
    const parameters = new URLSearchParams(request.body.toString());
    const action = parameters.get('Action') ?? request.path;
    requests.set(action, (requests.get(action) ?? 0) + 1);
    // One that EC2 only judges launches nothing.
    if (action !== 'CreateFleet' || parameters.get('DryRun') === 'true') {
      const done = await forward(request);
      if (action === 'TerminateInstances') for (const listener of listeners) listener();
      return done;
    }

    const done = await createFleet(request, parameters);
    for (const listener of listeners) listener();
    if (toLose <= 0) return done;
    toLose -= 1;
    throw new Error('the answer was lost');
  }

  const listening = await serve(answer);
  return {
    ...listening,
    url: `http://127.0.0.1:${listening.port}`,
    fleetCalls,
    requests,
    exhaust(next) {
      isExhausted = next;
    },
    throttle(calls) {
      toThrottle = calls;
    },
    loseAnswers(calls) {
      toLose = calls;
    },
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}

const instanceIdsIn = ({ body }: Answer): readonly string[] =>
  [...body.toString().matchAll(/<item>(i-[0-9a-f]+)<\/item>|<InstanceId>(i-[0-9a-f]+)</g)].flatMap(
    ([, a, b]) => a ?? b ?? [],
  );
