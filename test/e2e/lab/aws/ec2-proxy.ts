import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Forward, forwardTo, type Request } from '../forward.ts';
import { capacityReservations } from './ec2/capacity-reservations.ts';
import { type AttachedType, type Ec2Feature, listValues } from './ec2/ec2-feature.ts';
import { createImageDeprecation } from './ec2/image-deprecation.ts';
import { editInstances, editItems } from './ec2/instances-xml.ts';
import { cpuOptions, instanceOptions, launchTemplates, networkInterfaces } from './ec2/launch-features.ts';
import { launchTags } from './ec2/launch-tags.ts';
import { placementGroups } from './ec2/placement-groups.ts';
import { describeSpotPrices } from './ec2/spot-prices.ts';
import {
  consoleAnswer,
  insufficientCapacityAnswer,
  type OfferingError,
  throttled,
  tokenMismatch,
  withErrors,
} from './fleet-errors.ts';
import {
  chooseOverride,
  type FleetParameters,
  narrowToOverride,
  type Override,
  readFleetParameters,
  readTemplateName,
} from './fleet-parameters.ts';

/** A CreateFleet request and its outcome. */
export interface FleetCall {
  /** Time of arrival on this machine's clock. */
  readonly at: number;
  readonly clientToken: string;
  readonly capacityType: 'spot' | 'on-demand';
  /** For example `m7g.large/us-east-1a/spot`. */
  readonly offerings: readonly string[];
  readonly outcome: 'launched' | 'no capacity' | 'throttled' | 'repeated' | 'refused';
  readonly instanceIds: readonly string[];
}

/**
 * Adds to the emulated EC2 what the emulator lacks: limited capacity, client tokens,
 * request limits, deprecated images, placement groups, capacity reservations, and launch templates
 * with several network interfaces, CPU options or tags.
 */
export interface Ec2Proxy {
  readonly forward: Forward;
  readonly fleetCalls: readonly FleetCall[];
  /** When the termination of each instance was first requested, on this machine's clock. */
  readonly terminations: ReadonlyMap<string, number>;
  /** Number of requests by action. */
  readonly requests: ReadonlyMap<string, number>;
  /** Makes EC2 report insufficient capacity, or another error, for the offerings that match. */
  exhaust(isExhausted: (offering: string) => boolean, code?: OfferingError): void;
  /** Answers GetConsoleOutput with what this returns for an instance. */
  console(read: (instanceId: string) => string): void;
  /** Makes EC2 throttle the next `calls` CreateFleet requests. */
  throttle(calls: number): void;
  /** Executes the next `calls` CreateFleet requests and drops their responses. */
  loseAnswers(calls: number): void;
  /** Calls the listener after instances were started or terminated. */
  onChange(listener: () => void): void;
  /** Calls the listener after EC2 accepted to reboot an instance. */
  onReboot(listener: (instanceId: string) => void): void;
}

/**
 * @param fleetMs - how long CreateFleet takes besides the emulator
 */
export function createEc2Proxy(emulator: string, fleetMs = 0): Ec2Proxy {
  const forward = forwardTo(emulator);
  const imageDeprecation = createImageDeprecation();
  const templates = launchTemplates();
  const features: readonly Ec2Feature[] = [
    cpuOptions(),
    instanceOptions(),
    networkInterfaces(),
    placementGroups(),
    capacityReservations(),
    launchTags(),
  ];
  const fleetCalls: FleetCall[] = [];
  const terminations = new Map<string, number>();
  const requests = new Map<string, number>();
  const responseByToken = new Map<string, { readonly requestText: string; readonly answer: Answer }>();
  const listeners: (() => void)[] = [];
  const rebootListeners: ((instanceId: string) => void)[] = [];
  let isExhausted = (_offering: string): boolean => false;
  let offeringError: OfferingError = 'InsufficientInstanceCapacity';
  let readConsole = (_instanceId: string): string => '';
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
    // EC2 remembers a client token only with a launch, so a request that launched nothing can be
    // repeated.
    if (isLaunched && fleet.clientToken !== '') responseByToken.set(fleet.clientToken, { requestText, answer });
    return record(isLaunched ? 'launched' : 'no capacity', answer);
  }

  async function launch(request: Request, parameters: URLSearchParams, fleet: FleetParameters): Promise<Answer> {
    const { overrides, capacityType } = fleet;
    const templateOf = (one: Override) => templates.find(readTemplateName(parameters, one));
    const hasCapacity = (one: Override): boolean =>
      !isExhausted(one.offering) && features.every((feature) => feature.hasCapacity?.(templateOf(one), one) ?? true);
    const exhausted = overrides.filter((one) => !hasCapacity(one));
    const chosen = chooseOverride(
      overrides.filter((one) => !exhausted.includes(one)),
      fleet,
    );
    if (!chosen) return insufficientCapacityAnswer(exhausted, capacityType, offeringError);
    const body = Buffer.from(narrowToOverride(parameters, chosen).toString());
    const headers = { ...request.headers, 'content-length': `${body.length}` };
    const answer = await forward({ ...request, headers, body });
    for (const instanceId of instanceIdsIn(answer)) {
      for (const feature of features) feature.addInstance(templateOf(chosen), instanceId, parameters);
    }
    return withErrors(answer, exhausted, capacityType, offeringError);
  }

  async function answer(request: Request): Promise<Answer> {
    const parameters = new URLSearchParams(request.body.toString());
    const action = parameters.get('Action') ?? request.path;
    requests.set(action, (requests.get(action) ?? 0) + 1);
    if (action === 'EnableImageDeprecation') return imageDeprecation.enable(parameters);
    if (action === 'GetConsoleOutput') {
      const instanceId = parameters.get('InstanceId') ?? '';
      return consoleAnswer(instanceId, readConsole(instanceId));
    }
    if (action === 'DescribeSpotPriceHistory') return describeSpotPrices(parameters);
    for (const feature of features) {
      const featureAnswer = feature.answer?.(action, parameters);
      if (featureAnswer) return featureAnswer;
    }
    if (action === 'DescribeInstances') {
      return editInstances(await describeInstances(request, parameters), (xml, instanceId) =>
        features.reduce((edited, feature) => feature.describeInstance(edited, instanceId), xml),
      );
    }
    const attached = ATTACHED.get(action);
    if (attached) {
      const { list, type } = attached;
      return editItems(await forward(request), list, (xml, instanceId) =>
        features.reduce((edited, feature) => feature.describeAttached?.(type, edited, instanceId) ?? edited, xml),
      );
    }
    if (action === 'CreateLaunchTemplate') templates.read(parameters);
    if (action === 'DescribeImages') return imageDeprecation.annotate(await forward(request));
    // A dry run launches nothing.
    if (action !== 'CreateFleet' || parameters.get('DryRun') === 'true') {
      if (action === 'TerminateInstances') recordTerminations(parameters);
      const done = await forward(request);
      if (action === 'RebootInstances' && done.status < 300) tellReboots(parameters);
      if (action === 'TerminateInstances') for (const listener of listeners) listener();
      return done;
    }

    const done = await createFleet(request, parameters);
    await sleep(fleetMs);
    for (const listener of listeners) listener();
    if (toLose <= 0) return done;
    toLose -= 1;
    throw new Error('the answer was lost');
  }

  function tellReboots(parameters: URLSearchParams): void {
    for (const id of listValues(parameters, 'InstanceId')) for (const listener of rebootListeners) listener(id);
  }

  /** With a filter by profile, lists all instances if one of them has the profile, or none. */
  async function describeInstances(request: Request, parameters: URLSearchParams): Promise<Answer> {
    const profile = findProfileFilter(parameters);
    if (!profile) return forward(request);
    const { filter, arn } = profile;
    const others = [...parameters].filter(([name]) => !name.startsWith(`${filter}.`));
    const body = Buffer.from(new URLSearchParams(others).toString());
    const headers = { ...request.headers, 'content-length': `${body.length}` };
    const answer = await forward({ ...request, headers, body });
    const text = answer.body.toString();
    if (text.includes(`<arn>${arn}</arn>`)) return answer;
    const none = text.replace(/<reservationSet>[\s\S]*<\/reservationSet>/, '<reservationSet/>');
    return { ...answer, body: Buffer.from(none) };
  }

  function recordTerminations(parameters: URLSearchParams): void {
    for (const [name, id] of parameters) {
      if (!name.startsWith('InstanceId.') || terminations.has(id)) continue;
      terminations.set(id, Date.now());
      for (const feature of features) feature.removeInstance?.(id);
    }
  }

  return {
    forward: answer,
    fleetCalls,
    terminations,
    requests,
    exhaust(next, code = 'InsufficientInstanceCapacity') {
      isExhausted = next;
      offeringError = code;
    },
    console(next) {
      readConsole = next;
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
    onReboot: (listener) => {
      rebootListeners.push(listener);
    },
  };
}

/** The lists of what is attached to instances, by action. */
const ATTACHED: ReadonlyMap<string, { readonly list: string; readonly type: AttachedType }> = new Map([
  ['DescribeVolumes', { list: 'volumeSet', type: 'volume' }],
  ['DescribeNetworkInterfaces', { list: 'networkInterfaceSet', type: 'network-interface' }],
]);

const instanceIdsIn = ({ body }: Answer): readonly string[] =>
  [...body.toString().matchAll(/<item>(i-[0-9a-f]+)<\/item>|<InstanceId>(i-[0-9a-f]+)</g)].flatMap(
    ([, a, b]) => a ?? b ?? [],
  );

interface ProfileFilter {
  /** Its number among the filters, as `Filter.2`. */
  readonly filter: string;
  readonly arn: string;
}

/** Finds the filter by instance profile, which the emulator lacks. */
function findProfileFilter(parameters: URLSearchParams): ProfileFilter | undefined {
  for (const [name, value] of parameters) {
    if (value !== 'iam-instance-profile.arn') continue;
    const filter = name.replace(/\.Name$/, '');
    return { filter, arn: parameters.get(`${filter}.Value.1`) ?? '' };
  }
  return undefined;
}
