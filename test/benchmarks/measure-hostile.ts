import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { listHostileInputs } from './inputs/hostile/hostile-inputs.ts';
import { isOrdinary } from './inputs/hostile/hostile-pods.ts';

// Plans one hostile input in a process of its own: node measure-hostile.ts NAME. Sends the result to
// the parent process.
const [name = ''] = process.argv.slice(2);
const input = listHostileInputs().find((one) => one.name === name);
if (!input) throw new Error(`no input is named ${name}`);

const snapshot = input.snapshot();
const cpuBefore = process.threadCpuUsage();
const plan = planProvisioning(snapshot, 'decision-1');
const { user, system } = process.threadCpuUsage(cpuBefore);

const placed = [...plan.claims, ...plan.placements].flatMap(({ pods }) => pods);
const reasons = plan.unplaced.flatMap(({ pods, pools }) =>
  pods.filter((key) => !isOrdinary(key)).map(() => pools[0]?.reasons[0]?.code ?? 'no-pool'),
);
process.send?.({
  cpuMs: (user + system) / 1000,
  ordinaryPlaced: placed.filter(isOrdinary).length,
  hostilePods: snapshot.pods.filter(({ namespace, name }) => !isOrdinary(`${namespace}/${name}`)).length,
  hostilePlaced: placed.filter((key) => !isOrdinary(key)).length,
  reasons: Object.fromEntries([...Map.groupBy(reasons, (code) => code)].map(([code, all]) => [code, all.length])),
});
