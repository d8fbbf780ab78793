import { deploy } from '../lab/aws/deploy.ts';
import { ACCESS_KEYS } from '../lab/aws/rights/senders.ts';
import { freePort } from '../lab/free-port.ts';
import { listAt, textAt, valueAt } from '../lab/json.ts';
import type { Program } from '../lab/programs.ts';
import type { Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { startController } from '../mortise-command.ts';
import { KARPENTER_SELECTOR, leaderLease } from './cluster-objects.ts';

export type RuntimeName = 'controller' | 'functions';

/** Mortise in the lab, with the settings of Karpenter's Deployment. */
export interface Runtime {
  /** Variables of the suites that depend on the runtime. */
  readonly environment: Readonly<Record<string, string>>;
  end(): Promise<void>;
}

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
const PODS = `/api/v1/namespaces/kube-system/pods?labelSelector=${encodeURIComponent(KARPENTER_SELECTOR)}`;
const POLL_MS = 1_000;

/** Starts Mortise, and applies the settings again whenever the Deployment has a new pod. */
export async function startRuntime(lab: Lab, name: RuntimeName): Promise<Runtime> {
  const apply = name === 'controller' ? controllerRuntime(lab) : await functionsRuntime(lab);
  let current = '';
  let isEnded = false;

  async function follow(): Promise<void> {
    const pod = newestRunning(await lab.kube.list(PODS));
    const podName = textAt(pod, 'metadata', 'name');
    if (pod === undefined || podName === current) return;
    await apply(environmentOf(pod));
    await writeLeader(lab, podName);
    current = podName;
  }

  await waitUntil('Mortise to start', async () => {
    await follow();
    return current !== '';
  });
  const following = (async () => {
    while (!isEnded) {
      await follow().catch((error: unknown) => lab.say(`settings: ${String(error)}`));
      await new Promise((resolve) => {
        setTimeout(resolve, POLL_MS);
      });
    }
  })();
  return {
    // Specs send notices of EC2 to this queue.
    environment: name === 'functions' ? { INTERRUPTION_QUEUE: interruptionQueueName(lab) } : {},
    async end() {
      isEnded = true;
      await following;
    },
  };
}

type Apply = (environment: Readonly<Record<string, string>>) => Promise<void>;

/** Runs `mortise controller`, and again with each change of its environment. */
function controllerRuntime(lab: Lab): Apply {
  let program: Program | undefined;
  return async (environment) => {
    await program?.end();
    const health = await freePort();
    const started = startController(lab, ['-o', 'text'], {
      ...environment,
      AWS_ACCESS_KEY_ID: ACCESS_KEYS.controller,
      HEALTH_PROBE_PORT: `${health}`,
      METRICS_PORT: `${await freePort()}`,
    });
    program = started;
    await lab.programs.ready(started, async () => {
      const { ok } = await fetch(`http://127.0.0.1:${health}/readyz`);
      if (!ok) throw new Error('the controller is not ready');
    });
  };
}

/** Deploys the stack with these settings, and again with each change of them. */
async function functionsRuntime(lab: Lab): Promise<Apply> {
  await lab.deployment.bootstrap();
  return (environment) => deploy(lab, toStackOptions(environment));
}

/** The output is the queue's URL, which ends with its name. */
const interruptionQueueName = ({ deployment }: Lab): string =>
  deployment.output('InterruptionQueue').split('/').at(-1) ?? '';

/** The stack's options are named as Karpenter's variables, in camel case. */
const toStackOptions = (environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(environment)
      .filter(([name]) => name !== 'INTERRUPTION_QUEUE')
      .map(([name, value]) => [
        name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
        value,
      ]),
  );

const newestRunning = (pods: readonly unknown[]): unknown =>
  pods
    .filter(
      (pod) =>
        textAt(pod, 'status', 'phase') === 'Running' && valueAt(pod, 'metadata', 'deletionTimestamp') === undefined,
    )
    .toSorted((a, b) => createdAt(a).localeCompare(createdAt(b)))
    .at(-1);

const createdAt = (pod: unknown): string => textAt(pod, 'metadata', 'creationTimestamp');

const environmentOf = (pod: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    listAt(pod, 'spec', 'containers', 0, 'env').map((one) => [textAt(one, 'name'), textAt(one, 'value')]),
  );

async function writeLeader({ kube }: Lab, pod: string): Promise<void> {
  const lease = leaderLease(pod);
  await kube.create(LEASES, lease).catch(() => kube.patch(`${LEASES}/karpenter-leader-election`, lease));
}
