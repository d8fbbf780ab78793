import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../../../../shared/model/time.ts';
import { listAt, textAt } from '../../lab/json.ts';
import { CLUSTER, type Lab } from '../../lab/start-lab.ts';
import { callMortise, type MortiseCall } from '../../mortise-command.ts';
import { expect, type Scenario, type World } from '../../scenario.ts';
import { BREAKAGES } from './launch-breakages.ts';

const PHASES = ['event-seen', 'decided', 'fleet-requested', 'fleet-answered', 'registered', 'ready', 'bound'];

/** A launch that succeeds, each failure with its code and sentence, and Ctrl-C in each phase. */
export const firstLaunch: Scenario = {
  name: 'mortise try-launch times a launch, names what goes wrong, and leaves nothing',
  id: 'first-launch',
  async run(lab, world) {
    await world.pool({ instanceTypes: ['m5.large', 'm6i.large'] });
    const start = Date.now();
    const good = await tryLaunch(lab, world);
    expect(good.exitCode === 0, `the launch failed:\n${good.stderr}\n${good.stdout}`);
    const phases = listAt(JSON.parse(good.stdout), 'result', 'phases').map((one) => textAt(one, 'name'));
    for (const phase of PHASES) expect(phases.includes(phase), `no phase ${phase} in ${phases}`);
    await expectNothing(world, 'a success');
    const launchMs = Date.now() - start;

    for (const breakage of BREAKAGES) {
      const { title, code, says, prepare } = breakage;
      lab.say(`try-launch: ${title}`);
      const repair = await prepare(lab, world);
      try {
        const failed = await tryLaunch(lab, world, breakage.flags);
        const { stdout, stderr, exitCode } = failed;
        expect(exitCode === (code === 'forbidden' ? 4 : 1), `${title}: exit ${exitCode}\n${stderr}\n${stdout}`);
        if (code !== 'forbidden') {
          const failureCode = textAt(JSON.parse(stdout), 'result', 'failure', 'code');
          expect(failureCode === code, `${title}: ${failureCode}, not ${code}\n${stdout}`);
        }
        expect(says.test(stdout + stderr), `${title}: the sentence is missing\n${stdout}\n${stderr}`);
      } finally {
        await repair();
      }
      await expectNothing(world, title);
    }

    const stops = ['pod-created', ...PHASES];
    for (const phase of stops) {
      lab.say(`try-launch: Ctrl-C at ${phase}`);
      const { exitCode, stdout, stderr } = await tryLaunch(lab, world, [], phase);
      expect(exitCode === 130, `Ctrl-C at ${phase}: exit ${exitCode}\n${stderr}\n${stdout}`);
      await expectNothing(world, `Ctrl-C at ${phase}`);
    }
    return { launchMs, breakages: BREAKAGES.length, stops: stops.length };
  },
};

let runs = 0;

/** @param interruptAt - the phase after which the command gets SIGINT */
async function tryLaunch(
  lab: Lab,
  { id }: World,
  flags: readonly string[] = [],
  interruptAt?: string,
): Promise<MortiseCall> {
  runs += 1;
  const report = `${lab.folder}/try-launch-${runs}.json`;
  const args = ['try-launch', '--nodepool', id, '-n', id, '--yes', CLUSTER, '--timeout', '30s'];
  return await callMortise(lab, [...args, '--report', report, '-o', 'json', ...flags], {
    isDone: (stderr) => interruptAt !== undefined && stderr.includes(`  ${interruptAt}\n`),
  });
}

/** No pod of the command, and no claim, node or instance of the pool. */
async function expectNothing(world: World, after: string): Promise<void> {
  const pods = (await world.pods()).map(({ name }) => name);
  expect(pods.length === 0, `after ${after}: pods ${pods.join(', ')}`);
  await world.waitForNodes(0, 60 * SECOND_MS);
  // A late plan would have launched by then.
  await sleep(SECOND_MS);
  const claims = await world.claims();
  expect(claims.length === 0, `after ${after}: ${claims.map(({ name }) => name).join(', ')}`);
}
