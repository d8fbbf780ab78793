import { listAt, textAt, valueAt } from '../../lab/json.ts';
import { type SeenEvent, watchEvents } from '../../lab/kubernetes/event-watch.ts';
import type { Lab } from '../../lab/start-lab.ts';
import { waitUntil } from '../../lab/wait-until.ts';
import { callMortise, startConsole } from '../../mortise-command.ts';
import type { Measures, Scenario, World } from '../../scenario.ts';

/** An engineer on call looks in each of these views, and each must tell the cause within this time. */
const TOLD_WITHIN_MS = 5_000;
/** Longer than that, to tell a slow view from a silent one. */
const GIVEN_UP_MS = 20_000;
const EVERY_MS = 250;

/** A view where the cause is looked for. */
export interface View {
  readonly name: string;
  /** Returns all that the view says now. */
  read(): Promise<string>;
  /** Matches the cause. */
  readonly says: RegExp;
}

/** The views of one cluster, for one situation. */
export interface Views {
  /** The Events of Mortise about an object; `name` also matches the beginning of a name. */
  event(reason: string, kind: string, name: string, says: RegExp): View;
  events(): readonly SeenEvent[];
  /** The messages of the conditions of an object, by its path in the API. */
  condition(path: string, says: RegExp): View;
  explain(kind: string, name: string, says: RegExp): View;
  console(kind: string, name: string, says: RegExp): View;
  doctor(says: RegExp): View;
  /** Reads a view of the page, for example `cost`. */
  readConsole(path: string): Promise<unknown>;
}

export const CLAIMS = '/apis/karpenter.sh/v1/nodeclaims';
export const POOLS = '/apis/karpenter.sh/v1/nodepools';
export const CLASSES = '/apis/karpenter.k8s.aws/v1/ec2nodeclasses';

/** Creates a scenario that looks in the views. */
export const situation = (
  id: string,
  name: string,
  run: (lab: Lab, world: World, views: Views) => Promise<Measures>,
): Scenario => ({
  name,
  id: `on-call-${id}`,
  async run(lab, world) {
    const { views, end } = await openViews(lab);
    try {
      return await run(lab, world, views);
    } finally {
      await end();
    }
  },
});

async function openViews(lab: Lab): Promise<{ views: Views; end: () => Promise<void> }> {
  // An engineer may read the record and the account; doctor fails if it finds something.
  const run = async (...args: readonly string[]): Promise<string> =>
    (await callMortise(lab, args, { holder: 'administrator' })).stdout;
  const watch = watchEvents(lab.kube);
  const page = await startConsole(lab, ['--kubeconfig', lab.controlPlane.kubeconfig]);

  const views: Views = {
    events: watch.list,
    event: (reason, kind, name, says) => ({
      name: `event${kind}`,
      says,
      read: async () =>
        watch
          .list()
          .filter((one) => one.reason === reason && one.kind === kind && one.name.startsWith(name))
          .map(({ note }) => note)
          .join('\n'),
    }),
    condition: (path, says) => ({
      name: `condition${path.startsWith(CLASSES) ? 'Class' : ''}`,
      says,
      read: async () =>
        listAt(await lab.kube.get(path), 'status', 'conditions')
          .map((one) => [textAt(one, 'type'), textAt(one, 'status'), textAt(one, 'message')].join(' '))
          .join('\n'),
    }),
    explain: (kind, name, says) => ({
      name: `explain${kind === 'nodepool' ? 'Pool' : ''}`,
      says,
      read: () => run('explain', kind, name),
    }),
    console: (kind, name, says) => ({
      name: `console${kind === 'nodepool' ? 'Pool' : ''}`,
      says,
      read: async () => JSON.stringify(await page.read(`explain/${kind}/${name}`)),
    }),
    doctor: (says) => ({
      name: 'doctor',
      says,
      read: () => run('doctor'),
    }),
    readConsole: page.read,
  };
  return {
    views,
    async end() {
      watch.end();
      await page.end();
    },
  };
}

/**
 * Waits until each view tells the cause. A time is that of the look which shows it: how long a command
 * runs depends on the machine.
 *
 * @param since - of `performance.now()`: when the cause began
 * @returns the times in milliseconds, by view
 * @throws Error - a view is silent, or slower than five seconds
 */
export async function timeUntilTold(since: number, views: readonly View[]): Promise<Measures> {
  const results = await Promise.all(
    views.map(async (view) => {
      let [last, ms] = ['', 0];
      try {
        await waitUntil(
          view.name,
          async () => {
            ms = Math.round(performance.now() - since);
            last = await view.read();
            return view.says.test(last);
          },
          { timeoutMs: GIVEN_UP_MS, everyMs: EVERY_MS },
        );
        return { view, ms };
      } catch (error) {
        const says = last === '' ? String(error) : last;
        return { view, problem: `${view.name} does not say ${view.says}: ${says}` };
      }
    }),
  );
  const problems = results.flatMap(({ view, ms, problem }) =>
    problem !== undefined || (ms ?? 0) > TOLD_WITHIN_MS ? [problem ?? `${view.name} took ${ms} ms`] : [],
  );
  if (problems.length > 0) {
    const times = results.map(({ view, ms }) => `${view.name} ${ms ?? 'never'}`).join(', ');
    throw new Error([times, ...problems].join('\n'));
  }
  return Object.fromEntries(results.map(({ view, ms = 0 }) => [`${view.name}Ms`, ms]));
}

/** The first pod of a Deployment; it may still wait for its node. */
export async function findPod(world: World, deployment: string): Promise<string> {
  const pod = await waitUntil(`a pod of ${deployment}`, async () =>
    (await world.pods()).find(({ name }) => name.startsWith(`${deployment}-`)),
  );
  return `${world.id}/${pod.name}`;
}

/** True if the object has the condition. */
export const isTrue = (object: unknown, type: string): boolean =>
  listAt(object, 'status', 'conditions').some(
    (one) => textAt(one, 'type') === type && valueAt(one, 'status') === 'True',
  );
