import { DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import { deploy } from '../lab/aws/deploy.ts';
import { listAt, textAt, valueAt } from '../lab/json.ts';
import { watchEvents } from '../lab/kubernetes/event-watch.ts';
import type { Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { watchRepeatedly } from '../lab/watch-repeatedly.ts';
import { callMortise } from '../mortise-command.ts';
import { type ClaimView, expect, type Scenario, type World } from '../scenario.ts';

const CONDITION = 'AcceleratedHardwareReady';
/** A fault that a reboot ends, as the node monitoring agent of EKS reports it. */
const FAULT = 'NvidiaXID46Error';
const TAINT = 'karpenter.sh/rebooting';
/** Mortise waits for 10 minutes whether the fault passes. */
const TOLERANCE_MS = 10 * 60_000;
const GATES = { featureGates: 'NodeRepair=true', awsFeatureGates: 'RebootForRepair=true' };
const NO_GATES = { featureGates: '', awsFeatureGates: '' };
/** The Events of a reboot in place, about its NodeClaim. */
const EXPECTED_EVENTS = ['DisruptionTerminating', 'RebootObserved'];

export const reboot: Scenario = {
  name: 'a node with a GPU fault is rebooted in place: it keeps its instance, and its pods return',
  id: 'reboot',
  async run(lab, world) {
    await deploy(lab, GATES);
    const events = watchEvents(lab.kube);
    try {
      const measures = await rebootOneNode(lab, world);
      const [claim] = await world.claims();
      const reasons = events
        .list()
        .filter(({ kind, name }) => kind === 'NodeClaim' && name === claim?.name)
        .map(({ reason }) => reason);
      const missing = EXPECTED_EVENTS.filter((reason) => !reasons.includes(reason));
      expect(missing.length === 0, `no Event ${missing.join(', ')} among ${reasons.join(', ')}`);
      expect(!reasons.includes('RebootFailed'), 'there is an Event RebootFailed');
      return measures;
    } finally {
      events.end();
      await deploy(lab, NO_GATES);
    }
  },
};

async function rebootOneNode(lab: Lab, world: World) {
  await world.pool({ instanceTypes: ['m5.large'] });
  await world.deployment('web', 1, { cpu: '200m' });
  const [pod] = await world.waitForRunning(1);
  const [claim, ...others] = await waitUntil('a claim with a node', async () => {
    const claims = await world.claims();
    return claims.every(({ node }) => node !== '') && claims;
  });
  expect(claim !== undefined && others.length === 0, 'there is one claim');
  const instance = await describeInstance(lab, claim);
  const callsBefore = countReboots(lab);
  const bootId = await readBootId(lab, claim);
  const peakClaims = watchPeak(async () => (await world.claims()).length);

  await report(lab, claim, 'False', FAULT);
  await waitUntil('the taint', async () => (await readTaints(lab, claim)).includes(TAINT), {
    timeoutMs: TOLERANCE_MS + 180_000,
    everyMs: 500,
  });
  const taintedAt = performance.now();
  await expectExplained(lab, claim);
  await waitUntil('another boot', async () => (await readBootId(lab, claim)) !== bootId, { timeoutMs: 180_000 });
  const rebootedMs = Math.round(performance.now() - taintedAt);
  // The agent starts again with the node, and finds its devices healthy.
  await report(lab, claim, 'True', 'NvidiaGPUIsReady');
  await waitUntil('the end of the reboot', () => hasRecovered(lab, claim), { timeoutMs: 180_000, everyMs: 250 });
  const recoveredMs = Math.round(performance.now() - taintedAt);

  const [returned] = await world.waitForRunning(1);
  expect(returned?.node === claim.node, `the pod runs on ${returned?.node}`);
  expect(returned.name !== pod?.name, 'the pod was not evicted');
  const fields = ['InstanceId', 'PrivateIpAddress', 'LaunchTime'] as const;
  const rebooted = await describeInstance(lab, claim);
  const changed = fields.filter((field) => `${instance[field]}` !== `${rebooted[field]}`);
  expect(changed.length === 0, `the instance has another ${changed.join(', ')}`);
  const calls = countReboots(lab) - callsBefore;
  expect(calls === 1, `RebootInstances was called ${calls} times`);
  const peak = await peakClaims.end();
  expect(peak === 1, `there were ${peak} NodeClaims`);
  return { rebootedMs, recoveredMs };
}

const countReboots = ({ ec2 }: Lab): number => ec2.requests.get('RebootInstances') ?? 0;

/** Writes the condition of the devices, as the node monitoring agent does. */
async function report(lab: Lab, { node }: ClaimView, status: 'True' | 'False', reason: string): Promise<void> {
  const lastTransitionTime = new Date().toISOString();
  await lab.kube.patchNodeStatus(node, {
    status: { conditions: [{ type: CONDITION, status, reason, lastTransitionTime }] },
  });
}

const readNode = ({ kube }: Lab, { node }: ClaimView): Promise<unknown> => kube.get(`/api/v1/nodes/${node}`);

const readBootId = async (lab: Lab, claim: ClaimView): Promise<string> =>
  textAt(await readNode(lab, claim), 'status', 'nodeInfo', 'bootID');

const readTaints = async (lab: Lab, claim: ClaimView): Promise<readonly string[]> =>
  listAt(await readNode(lab, claim), 'spec', 'taints').map((taint) => textAt(taint, 'key'));

async function describeInstance({ cloud }: Lab, { providerId }: ClaimView) {
  const InstanceIds = [providerId.split('/').at(-1) ?? ''];
  const { Reservations = [] } = await cloud.ec2.send(new DescribeInstancesCommand({ InstanceIds }));
  const [instance] = Reservations.flatMap(({ Instances = [] }) => Instances);
  expect(instance?.State?.Name === 'running', `the instance is ${instance?.State?.Name}`);
  return instance;
}

/** True if the node is as before its reboot: initialized, without the taint, and its claim says so. */
async function hasRecovered(lab: Lab, claim: ClaimView): Promise<boolean> {
  const [node, object] = await Promise.all([
    readNode(lab, claim),
    lab.kube.get(`/apis/karpenter.sh/v1/nodeclaims/${claim.name}`),
  ]);
  const conditions = new Map(listAt(object, 'status', 'conditions').map((one) => [textAt(one, 'type'), one] as const));
  const statusOf = (type: string): string => textAt(conditions.get(type), 'status');
  return (
    statusOf('Rebooting') === 'False' &&
    textAt(conditions.get('Rebooting'), 'reason') === 'RebootSucceeded' &&
    statusOf('Initialized') === 'True' &&
    valueAt(node, 'metadata', 'labels', 'karpenter.sh/initialized') === 'true' &&
    listAt(node, 'spec', 'taints').every((taint) => textAt(taint, 'key') !== TAINT)
  );
}

async function expectExplained(lab: Lab, { node }: ClaimView): Promise<void> {
  const { stdout } = await callMortise(lab, ['explain', 'node', node], { holder: 'administrator' });
  expect(stdout.includes(`${CONDITION}/${FAULT}`), `explain does not name the fault: ${stdout}`);
}

/** Reads a number until the end. @returns the largest */
function watchPeak(count: () => Promise<number>): { end(): Promise<number> } {
  let peak = 0;
  const watch = watchRepeatedly(async () => {
    peak = Math.max(peak, await count());
  }, 500);
  return {
    async end() {
      await watch.end();
      return peak;
    },
  };
}
