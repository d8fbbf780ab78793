import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { Cloud } from '../../../shared/ports/cloud.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import type { Hint } from '../../../shared/ports/work-queue.ts';
import type { SimWorld } from '../../../shared/simulation/world.ts';
import { expectRecords } from './aftermath.ts';
import { Crash, type CrashMoment, isCrash, watchEffects } from './effects.ts';
import type { Scenario } from './scenarios.ts';

/** Where the one crash of a run happens. */
export interface CrashPoint {
  /** Counted from 1, over all invocations since the scenario's event. */
  readonly effect: number;
  readonly moment: CrashMoment;
  /** If the message is lost, the sweep has to find what it was about. */
  readonly message: 'redelivered' | 'lost';
}

export interface RunResult {
  readonly world: SimWorld;
  /** Names of the effects since the scenario's event, in order. */
  readonly effects: readonly string[];
}

/** A FIFO message group is blocked for the function's time-out plus half a minute. */
const VISIBILITY_MS = 150 * SECOND_MS;
/** Crashes happen within this time; later only the minute's routine runs. */
const ACTIVE_MS = 4 * MINUTE_MS;
/** After this time the traces of a crash must be gone. */
const AFTERMATH_MS = 25 * MINUTE_MS;

/** Runs a scenario with one crash or none, and lets the system continue for a while. */
export async function run(scenario: Scenario, crash?: CrashPoint): Promise<RunResult> {
  const { world, api } = scenario.create();
  const ports = { ...world.ports, cloud: withoutClientTokens(world.ports.cloud) };
  const effects: string[] = [];
  let isArmed = false;

  world.consume(async (hint) => {
    const alive = await survivesHint(isArmed ? crashOnce(ports, effects, crash) : ports, hint);
    await expectRecords(world);
    if (alive || crash?.message !== 'redelivered') return;
    await world.ports.queue.send(hint, world.clock.now() + VISIBILITY_MS);
  });

  await scenario.prepare(world);
  isArmed = true;
  await scenario.happen(world, api);
  await pass(world, ACTIVE_MS);
  isArmed = false;
  await pass(world, AFTERMATH_MS);
  return { world, effects };
}

const pass = ({ clock }: SimWorld, ms: number): Promise<void> => clock.runUntil(clock.now() + ms);

/** AWS does not document that instant fleets honour the client token; this Cloud does not. */
function withoutClientTokens(cloud: Cloud): Cloud {
  let calls = 0;
  return {
    ...cloud,
    launch(request) {
      calls += 1;
      return cloud.launch({ ...request, attempt: 1_000 + calls });
    },
  };
}

/** Ports of one invocation: after the crash none of its calls has an effect. */
function crashOnce(ports: Ports, effects: string[], crash: CrashPoint | undefined): Ports {
  let isDead = false;
  return watchEffects(ports, (effect, moment) => {
    if (isDead) throw new Crash();
    if (moment === 'before') effects.push(effect);
    isDead = crash !== undefined && effects.length === crash.effect && moment === crash.moment;
    if (isDead) throw new Crash();
  });
}

async function survivesHint(ports: Ports, hint: Hint): Promise<boolean> {
  try {
    await dispatch(ports, hint);
    return true;
  } catch (error) {
    if (!isCrash(error)) throw error;
    return false;
  }
}
